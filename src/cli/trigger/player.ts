import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { runMakerBot } from '../../bots/maker-bot.ts'
import type { MakerBotEvent } from '../../bots/maker-events.ts'
import type { MakerStyle } from '../../bots/style.ts'
import { accountOf } from '../../client/from-text.ts'
import type { MakerOptions } from '../../client/index.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { fixtureSpot } from '../../sandbox/traders/run-makers.ts'
import { forgive } from './forgive.ts'
import { inTime } from './in-time.ts'
import type { Stage } from './stage.ts'

type Kind = MakerBotEvent['kind']
type EventOf<Name extends Kind> = Extract<MakerBotEvent, { kind: Name }>

/** A simulated maker with a part in a scenario. */
export type Player = {
  name: string
  makerId: string
  /** The first event of a kind, whether it was told already or not. Refuses with `timed_out` after `ms`. */
  told: <Name extends Kind>(kind: Name, ms: number) => Promise<EventOf<Name>>
}

/** How long a player may take to be connected and ready, milliseconds. */
const ENTRANCE_MS = 10_000

/** Brings a maker on the stage and waits until it hears requests. `account` is another wallet than that of the sandbox. */
export async function enter(
  stage: Stage,
  { wallet, style, account }: { wallet: SandboxWallet; style: MakerStyle; account?: MakerOptions['account'] },
): Promise<Player> {
  const { url, chain, signal } = stage
  const events: MakerBotEvent[] = []
  const watchers = new Set<() => void>()
  const maker = { url, apiKey: wallet.apiKey ?? null, account: account ?? accountOf(wallet.privateKey), chain }
  const playing = runMakerBot({
    maker,
    style,
    seed: 1,
    spot: fixtureSpot(),
    signal,
    onEvent: (event) => {
      events.push(event)
      for (const watcher of [...watchers]) watcher()
    },
  })
  // Where it is not waited for, whoever waits for its events hears of the failure.
  stage.players.push(playing.catch(() => {}))

  const told: Player['told'] = (kind, ms) =>
    inTime(ms, `${wallet.name} to have ${kind}`, signal, () =>
      Promise.race([
        new Promise<EventOf<typeof kind>>((resolve, reject) => {
          const look = () => {
            if (events.some((event) => event.kind === 'blocked')) reject(blocked(wallet.name))
            const found = events.find((event) => event.kind === kind)
            if (found === undefined) return
            watchers.delete(look)
            resolve(found as EventOf<typeof kind>)
          }
          watchers.add(look)
          look()
        }),
        playing.then(() => Promise.reject(signal.reason)),
      ]),
    )

  const { makerId } = await told('connected', ENTRANCE_MS)
  await forgive(stage, makerId)
  return { name: wallet.name, makerId, told }
}

const blocked = (name: string): CliError =>
  new CliError(`${name} is blocked by the operator`, {
    code: 'maker_blocked',
    exitCode: EXIT.unauthorized,
    hint: `rfqctl maker unblock ${name}`,
  })
