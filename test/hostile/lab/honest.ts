import assert from 'node:assert/strict'
import { Wallet } from 'ethers'
import type { Committed, House } from '../../conformance/harness/house.ts'
import type { Maker } from '../../conformance/harness/maker.ts'

/** What the relay has promised an honest taker by a 200. */
export type Promised =
  | { kind: 'committed'; requestId: string; wallet: string; executionId: unknown; at: number }
  | { kind: 'cancelled'; requestId: string; at: number }

/** An honest maker and an honest taker, who trade with one another. */
export type HonestPair = {
  /** One trade from opening to the signed order; tells how long the commit took, in milliseconds. */
  trade: () => Promise<number>
  /** Opens a request and cancels it. */
  changeMind: () => Promise<void>
  promised: readonly Promised[]
  close: () => void
}

/** What an honest maker asks for an option. */
const PRICE = 0.12

/** Longer than any attack lasts, in milliseconds. */
const FOR_EVER_MS = 3_600_000

/** A pair whose maker signs whatever it is asked to. */
export async function createHonestPair(house: House, maker: Maker): Promise<HonestPair> {
  const taker = new Wallet(house.wallet().privateKey)
  if (house.chain !== null) await house.fund(taker)
  const promised: Promised[] = []
  let isOver = false
  let socket = await maker.connect()

  /** Signs as long as the pair is there; an honest maker whose socket broke comes again. */
  async function sign(): Promise<void> {
    while (!isOver) {
      try {
        const accepted = await socket.messages.until(({ type }) => type === 'quote:accepted', FOR_EVER_MS)
        const signature = await maker.sign(accepted)
        const { status, text } = await maker.confirm(accepted.quoteId, signature)
        if (status !== 200) console.error(`an honest confirm was answered ${status}: ${text}`)
      } catch {
        if (isOver) return
        await new Promise((resolve) => setTimeout(resolve, 100))
        socket = await maker.connect().catch(() => socket)
      }
    }
  }
  void sign()

  const ask = async <Body = Record<string, unknown>>(path: string, body: object, headers = {}): Promise<Body> => {
    const answer = await house.call<Body>('POST', path, { body, headers })
    assert.equal(answer.status, 200, `an honest call of ${path.replace(/[0-9a-f-]{36}/, '{id}')}: ${answer.text}`)
    return answer.body
  }

  async function open(): Promise<{ requestId: string; takerSecret: string }> {
    const { market, option } = await house.option()
    return ask('/quote-requests', { market, option, trade: { side: 'buy', budgetUsd: 1 }, locked: true })
  }

  return {
    trade: async () => {
      const { requestId, takerSecret } = await open()
      const quoted = await maker.quote(requestId, { price: PRICE })
      assert.equal(quoted.status, 200, `an honest quote: ${quoted.text}`)
      const wallet = taker.address
      const begun = performance.now()
      const body = { wallet, limitPrice: PRICE }
      const committed = await ask<Committed>(`/quote-requests/${requestId}/commit`, body, {
        'x-taker-secret': takerSecret,
      })
      const took = performance.now() - begun
      assert.equal(committed.quote.price, PRICE)
      const executionId = committed.execution.execution_id
      promised.push({ kind: 'committed', requestId, wallet, executionId, at: Date.now() })
      return took
    },
    changeMind: async () => {
      const { requestId, takerSecret } = await open()
      await ask(`/quote-requests/${requestId}/cancel`, { takerSecret })
      promised.push({ kind: 'cancelled', requestId, at: Date.now() })
    },
    promised,
    close: () => {
      isOver = true
      socket.close()
    },
  }
}
