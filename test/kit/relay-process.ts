import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './build.ts'
import { type Child, type Exit, spawnProgram } from './child.ts'
import { newFolder, removeFolder } from './folder.ts'

/** The first line that `serve --json` writes (decision Z1). */
export type Ready = {
  type: 'ready'
  url: string
  wsUrl: string
  rpcUrl: string | null
  chainId: number
  settlementAddress: string
  coreAddress: string
  stablecoinAddress: string
  resolutionSigner: string | null
  dataDir: string
}

/** A relay in a process of its own. */
export type RelayProcess = Omit<Child, 'ready'> & {
  ready: Ready
  /** Ends it, gently first, and removes the data dir if it was made for it. */
  stop: () => Promise<Exit>
}

type Options = {
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** A folder to keep; absent: one of its own, removed with it. */
  dataDir?: string
  /** The folder of another build; absent: this one's. */
  root?: string
  /** A program and its arguments that start it in their turn: `prlimit --nofile=1024`. */
  through?: readonly string[]
}

/** Longer than a drain may last (decision Z1). */
const STOP_MS = 25_000

/** Starts `node bin/rfqctl.js` with arguments, in an environment that holds nothing but what is given. */
export function spawnRfqctl(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { root = ROOT, through = [] }: Pick<Options, 'root' | 'through'> = {},
): Child {
  const { PATH = '', HOME = '' } = process.env
  // All tests are one address.
  const unbounded = {
    REQUEST_RATE_PER_ADDRESS: '0',
    MAX_OPEN_REQUESTS_PER_ADDRESS: '0',
    MAX_CONNECTIONS_PER_ADDRESS: '0',
  }
  return spawnProgram([...through, process.execPath, join(root, 'bin', 'rfqctl.js'), ...args], {
    cwd: tmpdir(),
    env: { PATH, HOME, NO_COLOR: '1', ...unbounded, ...env },
  })
}

/** Starts a relay on a free port and resolves when its ready line was read. */
export async function startRelay({ flags = [], env = {}, dataDir, ...how }: Options = {}): Promise<RelayProcess> {
  const dir = dataDir ?? newFolder()
  const child = spawnRfqctl(['serve', '--json', '--port', '0', '--data-dir', dir, ...flags], env, how)
  return {
    ...child,
    ready: await child.ready(),
    stop: async () => {
      child.signal('SIGTERM')
      const timer = setTimeout(child.signal, STOP_MS, 'SIGKILL')
      const exit = await child.exited
      clearTimeout(timer)
      if (dataDir === undefined) removeFolder(dir)
      return exit
    },
  }
}
