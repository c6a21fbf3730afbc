import { type Command, Option, type OptionValues } from 'commander'
import type { Cli } from '../cli.ts'
import { parseCoin, parseGwei } from './parse.ts'

/** Some `Run`; its options and arguments are not known here. */
export type Verb = (cli: Cli, options: never, ...args: never[]) => Promise<void>

/** Each example works when pasted into a shell beside a running sandbox. */
export type Attach = <Name extends string>(
  command: Command,
  load: () => Promise<Record<NoInfer<Name>, Verb>>,
  name: Name,
  examples: readonly string[],
) => Command

/** Commander calls an action with the arguments, the options and the command. */
export const attachWith =
  (cli: Cli): Attach =>
  (command, load, name, examples) =>
    command.addHelpText('after', helpOf(examples)).action(async (...all: unknown[]) => {
      const args = all.slice(0, -2)
      const run = (await load())[name] as (cli: Cli, options: OptionValues, ...args: unknown[]) => Promise<void>
      await run(cli, command.optsWithGlobals(), ...args)
    })

const helpOf = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`

export const relayOptions = (command: Command): Command =>
  command.option('--url <url>', 'address of the relay (default: the one in the data directory, or RFQCTL_URL)')

export const chainOptions = (command: Command): Command =>
  command.option('--rpc <url>', 'JSON-RPC of the chain (default: the one in the data directory, or RPC_URL)')

/** A private key itself is never an option (fault K1). */
export const accountOptions = (command: Command, standard: string): Command =>
  keyOptions(command.option('--account <name>', 'wallet by its name in "rfqctl wallet list"', standard))

/** For commands that continue a saved request. */
export const sameAccountOptions = (command: Command): Command =>
  keyOptions(command.option('--account <name>', 'wallet by its name (default: that of the request)'))

/** For commands that take a key of one's own only. */
export const keyOptions = (command: Command): Command =>
  command
    .addOption(new Option('--key-file <path>', 'file with a private key, plain or a keystore').conflicts('keyStdin'))
    .option('--key-stdin', 'read a private key or a keystore from stdin')
    .addOption(new Option('--i-know-this-key-is-public').hideHelp())

/** Options for commands that show a preview; `standard` is the wallet that holds the role by default. */
export const sendOptions = (command: Command, standard: string): Command =>
  chainOptions(relayOptions(accountOptions(command, standard)))
    .option('--yes', 'send it without a question')
    .option('--calldata', 'send nothing: print the calls as a Safe batch, for a multi-signature wallet')
    .option('--from <address>', 'with --calldata: the wallet that will send it (default: that of --account)')

export const gasPriceOption = (about: string): Option =>
  new Option('--max-gas-price <gwei>', about).argParser(parseGwei).default(500_000_000_000n, '500')

export const coinOption = (about: string): Option =>
  new Option('--max-coin-per-day <coins>', about).argParser(parseCoin).default(5n * 10n ** 18n, '5')

export const makerOptions = (command: Command): Command => accountOptions(command, 'maker-1')

export const serveOptions = (command: Command): Command =>
  command
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'port to listen on, 0 picks a free one (default: 8787)')
    .option('--memory', 'keep nothing on disk; without maker keys, anyone may quote')
    .option('--no-chain', 'simulated mode: the same handshake, no contracts')
    .option('--chain-port <port>', 'port of the embedded chain (default: a free one)')
    .option('--rpc <url>', 'an external chain; needs the addresses of its contracts')
    .option('--database-url <url>', 'Postgres instead of the file store')
    .option('--redis-url <url>', 'Redis, for several nodes')
