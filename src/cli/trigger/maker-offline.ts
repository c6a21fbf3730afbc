import { linkAbort } from '../../client/abort.ts'
import { accountOf } from '../../client/from-text.ts'
import { createMakerClient, type MakerClient, UNLIMITED, usd6 } from '../../client/index.ts'
import { priceText } from '../../lib/format.ts'
import { isSimulated } from '../context/clients.ts'
import { pickMakers } from '../maker/pick-makers.ts'
import { fallBack } from './fall-back.ts'
import { forgive } from './forgive.ts'
import { inTime } from './in-time.ts'
import { ask, bestOf, bringRescuer, firstQuote } from './race.ts'
import type { Scenario } from './scenario.ts'
import type { Stage } from './stage.ts'

/** How long the relay may take to answer a stream, and others to quote, milliseconds. */
const WAIT_MS = 10_000

/** The winner quoted over HTTP and has no socket: it gets a second to open one, and is passed over (decision C5). */
export const makerOffline: Scenario = {
  summary: 'the best maker has no socket open, and is passed over after a second',
  run: async (stage) => {
    const { narrator, signal, cli, options, chain, url } = stage
    const [{ name, privateKey, apiKey = null }] = pickMakers(stage.free, 1)
    const client = createMakerClient({ url, apiKey, account: accountOf(privateKey), chain })
    if (!isSimulated(cli, options)) await client.approveSpender({ spender: 'core', amount: UNLIMITED, signal })
    const opened = await ask(stage)
    if (opened.request.makersConnected === 0) await bringRescuer(stage, stage.free[1])
    const makerId = await nameOf(client, stage)
    await forgive(stage, makerId)
    narrator.tell('cast', { maker: name, makerId }, `${name} will quote best over HTTP, and open no socket`)
    const best = await firstQuote(stage, opened)
    const { request } = opened
    const price = usd6(best.price / 2n)
    await client.submitQuote({ request, price, size: best.size, signal })
    narrator.tell(
      'quoted',
      { maker: name },
      `${best.makerId} was best at ${priceText(best.price)}, so ${name} quotes ${priceText(price)}`,
    )
    const shown = await bestOf(stage, { opened, makerId, quotes: 2 })
    await fallBack(stage, { opened, shown, villain: { name, makerId } })
  },
}

/** The name that the relay knows a maker by: the first thing that a stream of its says. */
const nameOf = (client: MakerClient, { signal }: Stage): Promise<string> =>
  inTime(WAIT_MS, 'the relay to say who we are', signal, async (limit) => {
    const stream = linkAbort(limit)
    try {
      for await (const event of client.watchQuoteRequests({ signal: stream.signal })) {
        if (event.kind === 'connected') return event.makerId
      }
      throw new Error('A stream of requests ended without an error.')
    } finally {
      stream.abort()
      stream.release()
    }
  })
