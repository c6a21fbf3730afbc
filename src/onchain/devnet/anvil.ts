import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { CliError } from '@rfqctl/lib/cli-error'
import { guard } from '@rfqctl/lib/guarded-process'
import { endProcess, signal } from '@rfqctl/lib/process'
import { createDevClient, devnetChain } from './client.ts'

export type Anvil = { pid: number; port: number; rpcUrl: string; stop: () => Promise<void> }

/** Seconds between blocks without transactions, so that chain time moves (decision U7). */
const BLOCK_TIME_S = 2

/** Blocks are final two blocks later, about as on the networks that people trade on, instead of sixty-four. */
const FINAL_SOON = ['--slots-in-an-epoch', '1']

/** Longest wait for Anvil's last output, in milliseconds: its exit may be known before that is read. */
const LAST_WORDS_MS = 2_000
const LOOK_MS = 10

/** Recent states kept in memory. By default Anvil writes the state of every block to the home folder, forever. */
const KEPT_STATES = 256

/**
 * Anvil starts through a shell that reports its process id, which `@viem/anvil` keeps to itself, and becomes Anvil. It
 * gets an empty environment (fault K6) and its own process group: Ctrl-C in a terminal must reach the relay, which
 * drains while the chain still answers. The umask makes its state file as private as all beside it.
 */
const BECOME_ANVIL = 'umask 077; echo "pid=$$"; exec "$0" "$@"'
/** Adds a guard, which ends Anvil when we are gone. */
const BECOME_GUARDED_ANVIL = `${guard('TERM')} ${BECOME_ANVIL} 9<&-`

/**
 * Starts Anvil on loopback; port 0 takes a free one. With `statePath` the chain starts from that file if it exists and
 * is written to it at the end. It ends when stopped and when this process exits. With `outlives` it survives our being
 * killed, so that the next run can adopt it; otherwise it ends then, too.
 * Throws an `Error` that says why Anvil did not start.
 */
export async function startAnvil(input: { port: number; statePath: string | null; outlives: boolean }): Promise<Anvil> {
  const { port, statePath, outlives } = input
  if (process.platform === 'win32') {
    throw new Error('The embedded chain needs a POSIX shell. Use WSL, --rpc or --no-chain.')
  }
  const anvilBinary = findAnvilBinary()
  const { createAnvil } = await loadLauncher()
  let output = ''
  const script = outlives ? BECOME_ANVIL : BECOME_GUARDED_ANVIL
  const instance = createAnvil({
    anvilBinary,
    chainId: devnetChain.id,
    blockTime: BLOCK_TIME_S,
    pruneHistory: KEPT_STATES,
    // A web page open on this machine must not mine, warp or give itself money.
    noCors: true,
    port,
    state: statePath ?? undefined,
    execArgs: ([binary, args]) => [
      '/bin/sh',
      ['-c', script, binary, ...args, '--mixed-mining', '--hardfork', 'prague', ...FINAL_SOON],
      { detached: true, extendEnv: false, env: {}, buffer: false, reject: false },
    ],
  })
  const stopListening = instance.on('message', (message) => {
    output += message
  })
  await instance.start().catch(async (cause: unknown) => {
    const deadline = performance.now() + LAST_WORDS_MS
    while (errorIn(output) === undefined && performance.now() < deadline) await delay(LOOK_MS)
    throw new Error(`Anvil did not start on port ${port}: ${reasonIn(output)}`, { cause })
  })
  stopListening()
  const pid = Number(/pid=(\d+)/.exec(output)?.[1])
  const listening = Number(/Listening on \S+:(\d+)/.exec(output)?.[1])
  const anvil = ownAnvil({ pid, port: listening })
  await createDevClient(anvil.rpcUrl).setLoggingEnabled(false)
  return anvil
}

/** Adopts a running Anvil: it ends with us. */
export function ownAnvil({ pid, port }: { pid: number; port: number }): Anvil {
  const endNow = () => void signal(pid, 'SIGTERM')
  process.once('exit', endNow)
  return {
    pid,
    port,
    rpcUrl: `http://127.0.0.1:${port}`,
    async stop() {
      await endProcess(pid)
      process.off('exit', endNow)
    },
  }
}

const errorIn = (output: string): string | undefined => /^error.*/im.exec(output)?.[0]

const reasonIn = (output: string): string => errorIn(output) ?? output.trim().split('\n').at(-1) ?? ''

/** Processor names in Foundry's packages. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** The launcher of the embedded chain, as package.json names it: optional, as no relay in production needs it. */
const LAUNCHER = '@viem/anvil'
const LAUNCHER_VERSION = '0.0.10'
const ANVIL_VERSION = '1.7.1'

const missing = (packageName: string, { binaryPackage, cause }: { binaryPackage: string; cause: unknown }): CliError =>
  new CliError(`The embedded chain needs Anvil, but the package ${packageName} is not installed.`, {
    code: 'anvil_missing',
    hint:
      `npm install --no-save ${LAUNCHER}@${LAUNCHER_VERSION} ${binaryPackage}@${ANVIL_VERSION}; ` +
      'or use your own node with --rpc, or no chain with --no-chain',
    cause,
  })

/**
 * The path of the Anvil binary that npm installed for this machine. Throws a `CliError` `anvil_missing` if there is none. We
 * depend on the packages that contain one binary each, of which npm takes the one that fits, and not on the package
 * above them: its launcher would stand between us and the process that we must end, and its install script needs
 * permission.
 */
export function findAnvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const binaryPackage = binaryPackageOf(platform, arch)
  try {
    return createRequire(import.meta.url).resolve(`${binaryPackage}/bin/anvil`)
  } catch (cause) {
    throw missing(binaryPackage, { binaryPackage, cause })
  }
}

/** `load` is for tests. Throws a `CliError` `anvil_missing` if npm left the launcher out. */
export async function loadLauncher(load = () => import('@viem/anvil')): Promise<typeof import('@viem/anvil')> {
  try {
    return await load()
  } catch (cause) {
    throw missing(LAUNCHER, { binaryPackage: binaryPackageOf(process.platform, process.arch), cause })
  }
}

const binaryPackageOf = (platform: string, arch: string): string =>
  `@foundry-rs/anvil-${platform}-${ARCHITECTURES[arch] ?? arch}`
