import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import { isRunning } from '@rfqctl/lib/process'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/ports/runtime.ts'

/** Only makers have `apiKey`; null where it is configured or missing. */
export type SandboxWallet = { name: string; address: Address; privateKey: Hex; apiKey?: string | null }

/** `serve` writes it for the other commands. */
export type Sandbox = {
  version: 1
  pid: number
  url: string
  wsUrl: string
  rpcUrl: string | null
  /** Issuer of development tokens; null without one. */
  identityUrl?: string | null
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
  /** Null where the operator configured it. */
  operatorToken: string | null
  makers: readonly SandboxWallet[]
  takers: readonly SandboxWallet[]
  /** Registers series; null where the contracts are not ours. */
  registrar: SandboxWallet | null
}

const pathIn = (dataDir: string): string => join(dataDir, 'sandbox.json')

/** Readable by its owner only. */
export const writeSandbox = (dataDir: string, sandbox: Sandbox): void => writePrivateJson(pathIn(dataDir), sandbox)

const removeSandbox = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true })

/** Null without a file. Throws `corrupt_file` for one of another version. */
export function readSandbox(dataDir: string): Sandbox | null {
  const sandbox = readPrivateJson<Sandbox>(pathIn(dataDir))
  if (sandbox === null || sandbox.version === 1) return sandbox
  throw new CliError(`${pathIn(dataDir)} was written by another version of rfqctl`, {
    code: 'corrupt_file',
    hint: 'start the relay again: rfqctl serve',
  })
}

/** Throws `no_sandbox` without a file, and `corrupt_file` for one of another version. */
export function requireSandbox(dataDir: string): Sandbox {
  const sandbox = readSandbox(dataDir)
  if (sandbox !== null) return sandbox
  throw new CliError(`there is no sandbox in ${dataDir}`, {
    code: 'no_sandbox',
    hint: 'start one in another terminal: rfqctl up',
  })
}

export const walletsOf = ({ makers, takers, registrar }: Sandbox): SandboxWallet[] => [
  ...makers,
  ...takers,
  ...(registrar === null ? [] : [registrar]),
]

/**
 * Writes the sandbox for the other commands, unless another running relay has its own there. The returned function
 * removes it when the store is memory, because then nothing of the sandbox is kept.
 */
export function keepSandbox(parts: {
  settings: Pick<Settings, 'dataDir' | 'store' | 'keys'>
  sandbox: Sandbox
  former: Sandbox | null
  log: Log
}): () => void {
  const { sandbox, former, log } = parts
  const { dataDir, store, keys } = parts.settings
  if (former !== null && former.pid !== sandbox.pid && isRunning(former.pid)) {
    log.warn('sandbox_left_to_another', { path: dataDir, url: former.url })
    return () => {}
  }
  writeSandbox(dataDir, withoutConfigured(sandbox, keys))
  return () => {
    if (store.kind === 'memory') removeSandbox(dataDir)
  }
}

/** Configured secrets stay where the operator keeps them. */
function withoutConfigured(sandbox: Sandbox, { makers, operatorToken }: Settings['keys']): Sandbox {
  const configured = new Set(makers.map(({ apiKey }) => apiKey))
  const isConfigured = (key: string | null | undefined) => key !== null && key !== undefined && configured.has(key)
  return {
    ...sandbox,
    makers: sandbox.makers.map((maker) => (isConfigured(maker.apiKey) ? { ...maker, apiKey: null } : maker)),
    operatorToken: operatorToken === null ? sandbox.operatorToken : null,
  }
}
