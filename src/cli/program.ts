import { CliError } from '@rfqctl/lib/cli-error'
import { readVersion } from '@rfqctl/lib/version'
import { Command, type CommanderError } from 'commander'
import { addApiCommand } from './api/index.ts'
import { addAuditCommand } from './audit/index.ts'
import { addBenchCommand } from './bench/index.ts'
import { addChainCommands } from './chain/index.ts'
import type { Cli } from './cli.ts'
import { addCompletionCommand } from './completion/index.ts'
import { addConfigCommands } from './config/index.ts'
import { addDashboardCommand } from './dashboard/index.ts'
import { addDbCommands } from './db/index.ts'
import { attachWith } from './declare/command.ts'
import { addDemoCommand } from './demo/index.ts'
import { addDoctorCommand } from './doctor/index.ts'
import { addEventsCommands } from './events/index.ts'
import { addFaucetCommand } from './faucet/index.ts'
import { addInitCommand } from './init/index.ts'
import { addKeysCommands } from './keys/index.ts'
import { addListerCommands } from './lister/index.ts'
import { addLoginCommand } from './login/index.ts'
import { addMakerCommands } from './maker/index.ts'
import { addMarketsCommands } from './markets/index.ts'
import { nearestWord } from './nearest-word.ts'
import { addPriceCommand } from './price/index.ts'
import { withProgramName } from './program-name.ts'
import { addRelayerCommands } from './relayer/index.ts'
import { addSeriesCommands } from './series/index.ts'
import { addServeCommand } from './serve/index.ts'
import { addSettleCommands } from './settle/index.ts'
import { addSignerCommands } from './signer/index.ts'
import { addSurfaceCommand } from './surface/index.ts'
import { addTakerCommands } from './taker/index.ts'
import type { Colors } from './terminal/colors.ts'
import type { Sink } from './terminal/output.ts'
import { addTriggerCommand } from './trigger/index.ts'
import { addTxCommands } from './tx/index.ts'
import { addUpCommand } from './up/index.ts'
import { addWalletCommands } from './wallet/index.ts'

/** In the order of the help. */
const NOUNS = [
  addUpCommand,
  addServeCommand,
  addDemoCommand,
  addTriggerCommand,
  addInitCommand,
  addConfigCommands,
  addApiCommand,
  addMarketsCommands,
  addSeriesCommands,
  addPriceCommand,
  addSurfaceCommand,
  addFaucetCommand,
  addTakerCommands,
  addMakerCommands,
  addSettleCommands,
  addSignerCommands,
  addListerCommands,
  addRelayerCommands,
  addChainCommands,
  addTxCommands,
  addWalletCommands,
  addLoginCommand,
  addKeysCommands,
  addDashboardCommand,
  addEventsCommands,
  addAuditCommand,
  addDoctorCommand,
  addDbCommands,
  addBenchCommand,
  addCompletionCommand,
]

/** The output without arguments. */
export const WELCOME = `rfqctl is a request-for-quote relay for options on binary prediction markets:
takers ask, makers compete and sign, trades settle on chain.

Examples:
  $ rfqctl demo                                  one trade from request to payout, explained
  $ rfqctl up                                    your own market: chain, relay, makers
  $ rfqctl taker buy @1 --budget 100 --fill      trade on it, from another terminal

Start with "rfqctl up". "rfqctl --help" lists every command.`

/** Columns of help: lines stay readable on a wide terminal. */
const HELP_WIDTH = 100

const AFTER_HELP = `
Environment:
  the settings of serve ("rfqctl config view"), RFQCTL_URL, RFQCTL_API_KEY (a maker's),
  RFQCTL_RELAYER_URL (of a relayer that fills for takers),
  RFQCTL_EXCEPT_MAKERS (makers that a taker never asks, such as ada,bob),
  RFQCTL_ACCESS_TOKEN (to manage keys), RFQCTL_KEYSTORE_PASSWORD or
  RFQCTL_KEYSTORE_PASSWORD_FILE (of wallets), NO_COLOR

Exit codes:
  0 done, 1 unexpected, 2 usage, 3 refused by the market or the relay, 4 not authorized, 5 not found,
  6 timed out, 7 relay unreachable, 8 chain, 9 data file corrupt, 10 in use, 130/143 signals`

/** Commands load their modules only when they run, so that help is quick. */
export function buildProgram(
  cli: Cli,
  { stdout, stderr, argv = [] }: { stdout: Sink; stderr: Sink; argv?: readonly string[] },
): Command {
  const program = new Command('rfqctl')
    .description('Request-for-quote relay for options on binary prediction markets')
    .version(readVersion())
    .option('--json', 'one JSON object per line on stdout; errors and warnings likewise on stderr')
    .option('--no-color', 'no colour; NO_COLOR works too')
    .option('--data-dir <path>', 'where the sandbox and your orders are kept (default: .rfqctl)')
    .configureHelp({ showGlobalOptions: true, ...helpStyle(cli.out.colors) })
    .configureOutput({
      writeOut: (text) => stdout.write(withProgramName(cli.program, text)),
      writeErr: (text) => stderr.write(withProgramName(cli.program, text)),
      outputError: () => {},
      // `createColors` has decided on colour; commander must not strip it.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .addHelpText('after', AFTER_HELP)
  const attach = attachWith(cli)
  for (const declare of NOUNS) declare(program, attach)
  refuseInOurWords(program, argv)
  return program
}

/** Usage errors have the format of all errors and point to the command's own help. */
function refuseInOurWords(command: Command, argv: readonly string[]): void {
  command.exitOverride((error) => {
    throw isHelp(error) ? error : (missingInput(error, command, argv) ?? usageError(error, pathOf(command)))
  })
  for (const child of command.commands) refuseInOurWords(child, argv)
}

/**
 * Commander reports a missing required option first: a mistyped name is reported as such, and several missing ones are
 * all named.
 */
function missingInput({ code, message }: CommanderError, command: Command, argv: readonly string[]): CliError | null {
  if (code !== 'commander.missingMandatoryOptionValue') return null
  const known = new Set(['--help'])
  for (let one: Command | null = command; one !== null; one = one.parent) {
    for (const { long, negate } of one.options)
      if (long) known.add(long).add(negate ? long.replace('--no-', '--') : long)
  }
  const typed = argv.map((word) => word.split('=')[0] ?? '').find((word) => /^--[a-z]/.test(word) && !known.has(word))
  const required = /'(--[^']+)'/.exec(message)?.[1]
  if (typed !== undefined && required !== undefined) {
    const meant = nearestWord(typed, known)
    return new CliError(`unknown option '${typed.replace(KEY_LIKE, '[hidden]')}'`, {
      hint: meant === null ? `${required} is required` : `did you mean ${meant}?`,
    })
  }
  const missing = [
    ...command.registeredArguments.slice(command.args.length).filter((argument) => argument.required),
    ...command.options.filter((one) => one.mandatory && command.getOptionValue(one.attributeName()) === undefined),
  ].map((one) => ('flags' in one ? one.flags : `<${one.name()}>`))
  if (missing.length < 2) return null
  return new CliError(`missing ${missing.join(' and ')}`, { hint: `${pathOf(command)} --help` })
}

export const isHelp = ({ code }: CommanderError): boolean => /^commander\.(help|version)/.test(code)

/** Commander's message is `error: what happened`, with a suggestion in brackets on a line of its own. */
function usageError({ message }: CommanderError, path: string): CliError {
  const [happened = '', suggestion = ''] = message
    .replace(/^error: /, '')
    .replace(KEY_LIKE, '[hidden]')
    .split('\n')
  const negative = /^unknown option '(-\d[^']*)'$/.exec(happened)?.[1]
  if (negative !== undefined) {
    const why = path.endsWith('chain warp') ? ['the time of a chain does not go back'] : []
    return new CliError(`${negative} is below zero`, { why, hint: `${path} --help` })
  }
  const better = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(suggestion)?.[1]
  return new CliError(happened, { hint: better === undefined ? `${path} --help` : `did you mean ${better}?` })
}

/** Matches a possible private key typed in the wrong place. */
const KEY_LIKE = /(?:0x)?[0-9a-f]{64}/gi

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

const helpStyle = (colors: Colors) => ({
  styleTitle: colors.bold,
  styleCommandText: colors.cyan,
  styleOptionText: colors.cyan,
  styleSubcommandText: colors.cyan,
})
