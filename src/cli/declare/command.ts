import { type Command, Option, type OptionValues } from 'commander'
import type { Cli } from '../cli.ts'

/** What does the work of a command that an `index.ts` declares: some `Run` of its options and arguments. */
export type Verb = (cli: Cli, options: never, ...args: never[]) => Promise<void>

/** Joins a declared command to its verb, which is loaded when it is needed. */
export type Attach = (command: Command, load: () => Promise<Verb>) => Command

/** An `Attach` that runs verbs with `cli`. Commander hands an action its arguments, its options and the command. */
export const attachWith =
  (cli: Cli): Attach =>
  (command, load) =>
    command.action(async (...all: unknown[]) => {
      const args = all.slice(0, -2)
      const run = (await load()) as (cli: Cli, options: OptionValues, ...args: unknown[]) => Promise<void>
      await run(cli, command.optsWithGlobals(), ...args)
    })

/** Examples under the help of a command. Each works when pasted into a shell beside a running sandbox. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`)

/** Where the relay is, for commands that talk to it. */
export const relayOptions = (command: Command): Command =>
  command.option('--url <url>', 'address of the relay (default: the one in the data directory, or RFQCTL_URL)')

/** Where the chain is, for commands that talk to it. */
export const chainOptions = (command: Command): Command =>
  command.option('--rpc <url>', 'JSON-RPC of the chain (default: the one in the data directory, or RPC_URL)')

/** Whose wallet signs. A private key itself is never an option (fault K1). */
export const accountOptions = (command: Command, standard: string): Command =>
  keyOptions(command.option('--account <name>', 'wallet by its name in "rfqctl wallet list"', standard))

/** Whose wallet goes on with a request. */
export const sameAccountOptions = (command: Command): Command =>
  keyOptions(command.option('--account <name>', 'wallet by its name (default: that of the request)'))

/** A key of one's own, and none of the sandbox. */
export const keyOptions = (command: Command): Command =>
  command
    .addOption(new Option('--key-file <path>', 'file with a private key, plain or a keystore').conflicts('keyStdin'))
    .addOption(new Option('--key-stdin', 'read a private key or a keystore from stdin'))
    .addOption(new Option('--i-know-this-key-is-public').hideHelp())

/** What a command that shows what it is about to send takes beside its wallet: who holds a role, by default `standard`. */
export const sendOptions = (command: Command, standard: string): Command =>
  chainOptions(relayOptions(accountOptions(command, standard)))
    .option('--yes', 'send it without a question')
    .option('--calldata', 'send nothing: print the calls as a Safe batch, for a multi-signature wallet')
    .option('--from <address>', 'with --calldata: the wallet that will send it (default: that of --account)')

/** Which maker quotes. */
export const makerOptions = (command: Command): Command => accountOptions(command, 'maker-1')

/** Settings of `serve` as flags. */
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
