import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import { isRunning } from '@rfqctl/lib/process'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/ports/runtime.ts'

/** A wallet of the sandbox with its key; a maker's has its API key too, null for one that is configured or lacks. */
export type SandboxWallet = { name: string; address: Address; privateKey: Hex; apiKey?: string | null }

/** What `serve` leaves for the other commands: where things are, and the dev accounts to trade with. */
export type Sandbox = {
  version: 1
  pid: number
  url: string
  wsUrl: string
  rpcUrl: string | null
  /** Where tokens of development are had; null where there are none. */
  identityUrl?: string | null
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
  /** Null where it is configured: then it is no business of this file. */
  operatorToken: string | null
  makers: readonly SandboxWallet[]
  takers: readonly SandboxWallet[]
  /** Registers series; null where the contracts are not ours. */
  registrar: SandboxWallet | null
}

const pathIn = (dataDir: string): string => join(dataDir, 'sandbox.json')

/** Leaves a sandbox for the other commands, readable by its owner only. */
export const writeSandbox = (dataDir: string, sandbox: Sandbox): void => writePrivateJson(pathIn(dataDir), sandbox)

/** Forgets a sandbox. */
const removeSandbox = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true })

/** The sandbox of a data directory; null when there is none. */
export function readSandbox(dataDir: string): Sandbox | null {
  const sandbox = readPrivateJson<Sandbox>(pathIn(dataDir))
  if (sandbox === null || sandbox.version === 1) return sandbox
  throw new CliError(`${pathIn(dataDir)} was written by another version of rfqctl`, {
    code: 'corrupt_file',
    exitCode: EXIT.corrupt,
    hint: 'start the relay again: rfqctl serve',
  })
}

/** The sandbox of a data directory, or the way to one. */
export function requireSandbox(dataDir: string): Sandbox {
  const sandbox = readSandbox(dataDir)
  if (sandbox !== null) return sandbox
  throw new CliError(`there is no sandbox in ${dataDir}`, {
    code: 'no_sandbox',
    exitCode: EXIT.notFound,
    hint: 'start one in another terminal: rfqctl up',
  })
}

/** All wallets of a sandbox. */
export const walletsOf = ({ makers, takers, registrar }: Sandbox): SandboxWallet[] => [
  ...makers,
  ...takers,
  ...(registrar === null ? [] : [registrar]),
]

/**
 * Leaves the sandbox for the other commands; that of another relay that runs is left in place. The returned function ends
 * it: what keeps nothing leaves no sandbox either.
 */
export function keepSandbox({
  settings: { dataDir, store, keys },
  sandbox,
  former,
  log,
}: {
  settings: Pick<Settings, 'dataDir' | 'store' | 'keys'>
  sandbox: Sandbox
  former: Sandbox | null
  log: Log
}): () => void {
  if (former !== null && former.pid !== sandbox.pid && isRunning(former.pid)) {
    log.warn('sandbox_left_to_another', { path: dataDir, url: former.url })
    return () => {}
  }
  writeSandbox(dataDir, withoutConfigured(sandbox, keys))
  return () => {
    if (store.kind === 'memory') removeSandbox(dataDir)
  }
}

/** A sandbox with its own secrets only: what was configured stays where the operator keeps it. */
function withoutConfigured(sandbox: Sandbox, { makers, operatorToken }: Settings['keys']): Sandbox {
  const configured = new Set(makers.map(({ apiKey }) => apiKey))
  const isConfigured = (key: string | null | undefined) => key !== null && key !== undefined && configured.has(key)
  return {
    ...sandbox,
    makers: sandbox.makers.map((maker) => (isConfigured(maker.apiKey) ? { ...maker, apiKey: null } : maker)),
    operatorToken: operatorToken === null ? sandbox.operatorToken : null,
  }
}
