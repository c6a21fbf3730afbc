import { afterEach } from 'vitest'
import type { TradeSession } from '../../../src/web/trade/session.ts'
import { activeTrade, type TradePhase } from '../../../src/web/trade/trade-view.ts'
import { settle } from '../../support/fake-clock.ts'
import { quoteOf } from '../trade-samples.ts'
import type { FakeHistory, FakeWorld } from './fake-world.ts'

/** Opens pages for the tests of a file; each test's pages are closed after it. */
export function createTradePages() {
  const open: TradeSession[] = []
  afterEach(() => {
    for (const session of open.splice(0)) session.close()
  })

  /** A page that has heard of the relay. */
  async function page(world: FakeWorld, history?: FakeHistory): Promise<TradeSession> {
    const session = world.open(history)
    open.push(session)
    await settle()
    return session
  }

  /** One with a wallet. */
  async function trader(world: FakeWorld): Promise<TradeSession> {
    const session = await page(world)
    session.act.connect('io.example')
    await settle()
    return session
  }

  /** One whose request has a quote. */
  async function racing(world: FakeWorld): Promise<TradeSession> {
    const session = await trader(world)
    session.act.ask()
    await settle()
    await world.quote('request-1', quoteOf(99_600n))
    return session
  }

  /** The page that is opened in place of one that is closed. */
  async function reload(world: FakeWorld, session: TradeSession): Promise<TradeSession> {
    session.close()
    return page(world)
  }

  return { page, trader, racing, reload }
}

/** What the trade that a page is about is doing. */
export const phaseOf = ({ store }: TradeSession): TradePhase | undefined => activeTrade(store.get())?.phase

/** How often a call was made. */
export const countOf = (world: FakeWorld, name: string): number =>
  world.calls.filter((call) => call.name === name).length

/** The input of the newest call of a name. */
export const inputOf = (world: FakeWorld, name: string): unknown =>
  world.calls.findLast((call) => call.name === name)?.input
