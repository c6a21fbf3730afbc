import { runMakerBot } from '@rfqctl/agents/bots/maker-bot'
import type { MakerBotEvent } from '@rfqctl/agents/bots/maker-events'
import type { MakerStyle } from '@rfqctl/agents/bots/style'
import { createChainTime } from '@rfqctl/client/chain-time'
import { accountOf, type KeyAccount } from '@rfqctl/client/from-text'
import { createMakerClient, type MakerClient } from '@rfqctl/client/index'
import { createOperatorClient } from '@rfqctl/client/operator'
import { CliError } from '@rfqctl/lib/cli-error'
import { systemClock } from '@rfqctl/lib/clock'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'
import { fixtureSpot } from '../traders.ts'
import { type FaultContext, withTimeout } from './fault.ts'

type Kind = MakerBotEvent['kind']
type EventOf<Name extends Kind> = Extract<MakerBotEvent, { kind: Name }>

export type ScenarioMaker = {
  name: string
  makerId: string
  wallet: SandboxWallet
  /** The first event of a kind, past ones included. Refuses with `timed_out` after `ms`. */
  awaitEvent: <Name extends Kind>(kind: Name, ms: number) => Promise<EventOf<Name>>
  /** Rejects with the refusal of its quote on a request, as soon as there is one. */
  rejectWhenRefused: (requestId: string, signal: AbortSignal) => Promise<never>
}

const CONNECT_MS = 10_000

/** A client of a sandbox maker that no bot runs. */
export const makerClientOf = (
  { url, chain }: Pick<FaultContext, 'url' | 'chain'>,
  { apiKey = null, privateKey }: SandboxWallet,
): MakerClient => createMakerClient({ url, apiKey, account: accountOf(privateKey), chain })

/** Runs a maker and waits until it receives requests. `account` replaces the sandbox's wallet. */
export async function startScenarioMaker(
  context: FaultContext,
  { wallet, style, account }: { wallet: SandboxWallet; style: MakerStyle; account?: KeyAccount },
): Promise<ScenarioMaker> {
  const { url, chain, signal } = context
  const { name } = wallet
  const events: MakerBotEvent[] = []
  const watchers = new Set<() => void>()
  const maker = { url, apiKey: wallet.apiKey ?? null, account: account ?? accountOf(wallet.privateKey), chain }
  const running = runMakerBot({
    maker,
    style,
    seed: 1,
    spot: fixtureSpot(),
    marketTime: createChainTime(chain, systemClock),
    signal,
    onEvent: (event) => {
      events.push(event)
      for (const watcher of [...watchers]) watcher()
    },
  })
  // Callers that do not await it learn of the failure from its events.
  context.running.push(running.catch(() => {}))

  const awaitEvent: ScenarioMaker['awaitEvent'] = (kind, ms) =>
    withTimeout(ms, { what: `${name} to have ${kind}`, signal }, () =>
      Promise.race([
        new Promise<EventOf<typeof kind>>((resolve, reject) => {
          const check = () => {
            if (events.some((event) => event.kind === 'blocked')) reject(blocked(name))
            const found = events.find((event) => event.kind === kind)
            if (found === undefined) return
            watchers.delete(check)
            resolve(found as EventOf<typeof kind>)
          }
          watchers.add(check)
          check()
        }),
        running.then(() => Promise.reject(signal.reason)),
      ]),
    )

  const rejectWhenRefused: ScenarioMaker['rejectWhenRefused'] = (requestId, ended) =>
    new Promise((_resolve, reject) => {
      const check = () => {
        for (const event of events) {
          if (event.kind === 'failed' && event.doing === 'quote' && event.requestId === requestId) reject(event.error)
        }
      }
      watchers.add(check)
      ended.addEventListener('abort', () => watchers.delete(check), { once: true })
      check()
    })

  const { makerId } = await awaitEvent('connected', CONNECT_MS)
  await clearMisses(context, makerId)
  return { name, makerId, wallet, awaitEvent, rejectWhenRefused }
}

const blocked = (name: string): CliError =>
  new CliError(`${name} is blocked by the operator`, { code: 'maker_blocked', hint: `rfqctl maker unblock ${name}` })

/** Has the relay forget a maker's misses in former scenarios, with an operator token: it would rank last. */
export async function clearMisses({ url, operatorToken: token, signal }: FaultContext, makerId: string): Promise<void> {
  if (token === null) return
  const operator = createOperatorClient({ url, token })
  const { makers } = await operator.listMakers({ signal })
  if (makers.find((maker) => maker.makerId === makerId)?.demotedUntil == null) return
  await operator.blockMaker({
    makerId,
    isBlocked: false,
    by: 'rfqctl trigger',
    reason: 'the scenario has ended',
    signal,
  })
}
