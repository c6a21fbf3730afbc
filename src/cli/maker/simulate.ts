import { requireSandbox } from '../../app/sandbox-file.ts'
import type { MakerBotEvent } from '../../bots/maker-events.ts'
import type { StyleName } from '../../bots/style.ts'
import { assignStyles, runMakers } from '../../sandbox/traders/run-makers.ts'
import type { Run } from '../cli.ts'
import type { PublicKeyOptions } from '../context/account.ts'
import { signingChain } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { knownOperatorToken } from '../context/operator.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, type RelayOptions, relayUrl } from '../context/targets.ts'
import { plural } from '../terminal/format.ts'
import { withConfiguredKeys } from './configured-keys.ts'
import { freeMakers } from './free-makers.ts'
import { pickMakers } from './pick-makers.ts'
import { NO_SCORE, type Score, score, scoreLines, scoresJson } from './score.ts'
import { makerEventJson, makerEventLine } from './show-event.ts'

type Options = RelayOptions &
  ChainOptions &
  PublicKeyOptions & {
    count?: number
    strategy?: readonly StyleName[]
    latency?: number
    seed: number
    for?: number
  }

/** Makers where no count is asked for, or as many as are left. */
const DEFAULT_COUNT = 3

/**
 * Runs simulated makers of the sandbox until Ctrl-C or for a time, and sums up what each did. They find a relay that went
 * away again.
 */
export const run: Run<Options> = async (cli, options) => {
  const sandbox = withConfiguredKeys(cli, requireSandbox(dataDirOf(cli, options)))
  const url = relayUrl(cli, options)
  const free = await freeMakers(sandbox, { url, token: knownOperatorToken(cli, options), signal: cli.stop })
  const wallets = pickMakers(free, options.count ?? Math.max(1, Math.min(DEFAULT_COUNT, free.length)))
  const makers = assignStyles(wallets, options.strategy)
  const chain = await signingChain(cli, options, wallets[0].address)
  cli.out.note(
    `${plural(makers.length, 'maker')}: ${makers.map(({ wallet, style }) => `${wallet.name} ${style}`).join(', ')}`,
  )
  const scores = new Map<string, Score>()
  const scoreOf = (name: string): Score => scores.get(name) ?? NO_SCORE
  const tell = (name: string, event: MakerBotEvent): void => {
    scores.set(name, score(scoreOf(name), event))
    const line = makerEventLine(name, event, cli.out.colors)
    const document = makerEventJson(name, event)
    if (document !== null && (cli.out.isJson || line !== null)) cli.out.print(document, line ?? '')
  }
  await runFor(options.for ?? null, cli.stop, (stop) =>
    runMakers({ makers, seed: options.seed, latencyMs: options.latency, url, chain, stop, onEvent: tell }),
  )
  const all = makers.map((maker) => ({ maker, score: scoreOf(maker.wallet.name) }))
  cli.out.print(scoresJson(all), scoreLines(all, cli.out.colors))
}
