import { CliError } from '@rfqctl/lib/cli-error'
import { type LoadedSettings, loadSettings, type Settings } from '@rfqctl/relay/config/settings'
import type { Cli } from '../cli.ts'

export type ServeOptions = {
  host?: string
  port?: string
  dataDir?: string
  memory?: boolean
  chain?: boolean
  chainPort?: number
  rpc?: string
  databaseUrl?: string
  redisUrl?: string
}

/** Includes settings with faults. */
export function loadServeSettings(cli: Pick<Cli, 'environment' | 'cwd'>, options: ServeOptions): LoadedSettings {
  const { host, port, dataDir, rpc, databaseUrl, redisUrl } = options
  const named = {
    HOST: host,
    PORT: port,
    DATA_DIR: dataDir,
    RPC_URL: rpc,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
  }
  return loadSettings({
    flags: Object.fromEntries(Object.entries(named).filter(([, text]) => text !== undefined)),
    modes: { memory: options.memory === true, noChain: options.chain === false, chainPort: options.chainPort ?? null },
    environment: cli.environment,
    cwd: cli.cwd,
  })
}

/** Refuses with every fault at once, and prints warnings. */
export function requireServeSettings(cli: Cli, options: ServeOptions): Settings {
  const { settings, faults, warnings } = loadServeSettings(cli, options)
  if (settings === null) throw badSettings(faults)
  for (const warning of warnings) {
    cli.out.advise({ type: 'warning', warning }, `${cli.out.colors.yellow('warning:')} ${warning}`)
  }
  return settings
}

export const isTyped = (fault: string): boolean => fault.includes('(flag --')

export const badSettings = (faults: readonly string[]): CliError =>
  new CliError(faults.length === 1 ? 'a setting is wrong' : `${faults.length} settings are wrong`, {
    code: 'bad_settings',
    why: faults,
    hint: 'rfqctl config view --origin',
  })
