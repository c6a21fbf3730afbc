import { createServer } from 'node:http'
import { makerStanding } from '../../dist/modules/protocol/domain/operations.js'
import { NEW_MAKER } from '../../dist/modules/protocol/domain/reliability.js'
import {
  happenedFrame,
  makerStandingFrame,
  operatorConnectedFrame,
  operatorSnapshotEndFrame,
  operatorSnapshotFrame,
} from '../../dist/modules/protocol/wire/operator-stream.js'
import { encodeSseFrame } from '../../dist/modules/protocol/wire/sse.js'

const WALLET = `0x${'7'.repeat(40)}`
const TICK_MS = 20

/** The lives of requests, one entry after the other for ever: opened, quoted by all makers, moved, refused, taken and signed, or not. */
function* lives({ makers }) {
  for (let number = 0; ; number += 1) {
    const requestId = `${(0x10000000 + number).toString(16)}-0000-4000-8000-000000000000`
    const entry = (fact) => ({ at: Date.now(), requestId, ...fact })
    const quote = (maker, micro) => ({
      quoteId: `${requestId}-${maker}`,
      requestId,
      makerId: `maker-${maker}`,
      maker: WALLET,
      side: 'buy',
      price: BigInt(micro),
      size: 1_000n,
      pricedAt: Date.now(),
      expiresAt: Date.now() + 60_000,
    })
    const terms = {
      wallet: null,
      market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123', question: `Will it rain on day ${number}?` },
      option: { optionType: 'call', strikeBps: 4_500, expiryMs: Date.now() + 3_600_000 },
      trade: { side: 'buy', budget: 100_000_000n },
    }
    yield entry({ kind: 'opened', terms, seriesId: '77', expiresAt: Date.now() + 300_000, makersConnected: makers })
    for (let round = 0; round < 3; round += 1) {
      for (let maker = 1; maker <= makers; maker += 1) {
        yield entry({
          kind: 'quoted',
          quote: quote(maker, 100_000 + maker * 1_000 - round * 500),
          isRequote: round > 0,
        })
      }
    }
    const detail = 'Wallet 0x7777 holds 3 USD; this fill needs 458.33 USD and 0 USD is already promised.'
    yield entry({ kind: 'quote_refused', makerId: 'maker-1', code: 'maker_insufficient_balance', detail })
    if (number % 3 === 0) {
      yield entry({ kind: 'closed', status: 'expired' })
      continue
    }
    yield entry({
      kind: 'commit_started',
      terms: { wallet: WALLET, limitPrice: null, minContracts: null, expectedQuoteId: null },
    })
    const winner = { makerId: 'maker-2', quoteId: `${requestId}-2` }
    const order = {
      maker: WALLET,
      seriesId: '77',
      optionAmount: 833n,
      premiumAmount: 99_960_000n,
      makerSelling: true,
      taker: WALLET,
      validUntil: 1_800_000_000,
      nonce: 7,
    }
    yield entry({ kind: 'asked', ...winner, order, deadline: Date.now() + 10_000 })
    yield entry({ kind: 'confirmed', ...winner, executionId: 'e', waitedMs: 30 + (number % 200) })
    yield entry({ kind: 'closed', status: 'committed' })
  }
}

/**
 * A server on a free port of the loopback that speaks the operator's stream and nothing else, so many events a second.
 * @param {{ eventsPerSecond: number, makers: number }} load
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startLoad({ eventsPerSecond, makers }) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (frame) => response.write(encodeSseFrame(frame))
    send(operatorConnectedFrame({ serverTime: Date.now(), mode: 'onchain', chainId: 80002 }))
    send(operatorSnapshotFrame(0))
    for (let maker = 1; maker <= makers; maker += 1) {
      const connected = { makerId: `maker-${maker}`, streams: 1, sockets: 1, demotedUntil: null, suspendedUntil: null }
      send(makerStandingFrame(makerStanding({ ...connected, record: NEW_MAKER })))
    }
    send(operatorSnapshotEndFrame(1))
    const entries = lives({ makers })
    const startedAt = performance.now()
    let sent = 0
    const timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * eventsPerSecond)
      const frames = []
      for (; sent < due; sent += 1)
        frames.push(encodeSseFrame(happenedFrame({ id: sent + 2, entry: entries.next().value })))
      if (frames.length > 0) response.write(frames.join(''))
    }, TICK_MS)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
