import { requireSandbox, type Sandbox, type SandboxWallet } from '../../app/sandbox-file.ts'
import type { ChainSetup, TakerClient } from '../../client/index.ts'
import type { Cli } from '../cli.ts'
import { type AccountOptions, openAccount } from '../context/account.ts'
import { chainSetup, isSimulated, signingChain, takerClient, walletClient } from '../context/clients.ts'
import { knownOperatorToken } from '../context/operator.ts'
import { type ChainOptions, dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { createNarrator, type Narrator } from '../demo/narrator.ts'
import { withConfiguredKeys } from '../maker/configured-keys.ts'
import { freeMakers } from '../maker/free-makers.ts'

/** Options of `trigger`. */
export type TriggerOptions = RelayOptions & ChainOptions & AccountOptions

/** A running sandbox in which a scenario happens: its relay, a taker, and the makers that no one plays yet. */
export type Stage = {
  cli: Cli
  options: TriggerOptions
  sandbox: Sandbox
  url: string
  /** The contracts that makers sign for. */
  chain: ChainSetup
  taker: TakerClient
  free: readonly SandboxWallet[]
  narrator: Narrator
  /** Ends the scenario and everyone who plays in it. */
  signal: AbortSignal
  /** The makers on the stage; each settles when it has left. */
  players: Promise<void>[]
}

/** Looks around a running sandbox. */
export async function openStage(cli: Cli, options: TriggerOptions, signal: AbortSignal): Promise<Stage> {
  const sandbox = withConfiguredKeys(cli, requireSandbox(dataDirOf(cli, options)))
  const url = relayUrl(cli, options)
  const free = await freeMakers(sandbox, { url, token: knownOperatorToken(cli, options), signal })
  const { account } = await openAccount(cli, options)
  const { client: taker } = isSimulated(cli, options)
    ? await takerClient(cli, options)
    : await walletClient(cli, options)
  const chain = isSimulated(cli, options)
    ? await signingChain(cli, options, account.address)
    : await chainSetup(cli, options, account.address)
  return { cli, options, sandbox, url, chain, taker, free, narrator: createNarrator(cli.out), signal, players: [] }
}
