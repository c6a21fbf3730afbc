import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Maker } from '../../kit/maker.ts'
import type { Service } from '../../kit/service.ts'
import { type Signer, startSigner } from './signer.ts'
import { createStranger } from './stranger.ts'

/** What the relay has promised an honest pair by a 200. */
export type Promised =
  | { kind: 'committed'; requestId: string; takerSecret: string; wallet: string; executionId: unknown; at: number }
  | { kind: 'cancelled'; requestId: string; takerSecret: string; at: number }

/** An honest maker and an honest taker, who trade with one another. */
export type HonestPair = {
  maker: Maker
  /** One trade from opening to the signed order; tells how long the commit took, in milliseconds. */
  trade: () => Promise<number>
  changeMind: () => Promise<void>
  promised: readonly Promised[]
  close: () => void
}

/** What an honest maker asks for an option, and what its taker spends: one option, so that a purse lasts for long. */
const PRICE = 0.12
const BUDGET_USD = 0.2

/** How soon a maker whose socket broke comes again, in milliseconds. */
const AGAIN_MS = 200

/** Where the honest taker calls from: nobody else does. */
const ADDRESS = '127.99.0.1'

/** A pair whose maker signs whatever it is asked to. */
export async function createHonestPair(service: Service, maker: Maker): Promise<HonestPair> {
  const taker = service.wallet()
  if (service.chain !== null) await service.fund(taker)
  const client = createStranger(service.ready.url, ADDRESS)
  const promised: Promised[] = []
  let isOver = false
  let signer: Signer

  /** Comes again when its socket broke, as long as the pair is there. */
  async function beThere(): Promise<void> {
    signer = await startSigner(maker)
    void signer.gone.then(async () => {
      while (!isOver) {
        await wait(AGAIN_MS)
        const back = await beThere().catch(() => 'not yet')
        if (back === undefined) return
      }
    })
  }
  await beThere()

  async function ask(path: string, body: object, headers = {}): Promise<Record<string, unknown>> {
    const answer = await client.ask('POST', path, { body, headers })
    assert.equal(answer.status, 200, `${path.replace(/[0-9a-f-]{36}/, '{id}')}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  async function open(): Promise<{ requestId: string; takerSecret: string }> {
    const { market, option } = await service.option()
    const trade = { side: 'buy', budgetUsd: BUDGET_USD }
    const opened = await ask('/quote-requests', { market, option, trade, locked: true })
    return opened as { requestId: string; takerSecret: string }
  }

  return {
    maker,
    trade: async () => {
      const { requestId, takerSecret } = await open()
      const quoted = await maker.quote(requestId, { price: PRICE })
      assert.equal(quoted.status, 200, `a quote: ${quoted.status} ${quoted.text}`)
      const commit = await service.proven(requestId, taker, PRICE)
      const { wallet } = commit
      const begun = performance.now()
      const headers = { 'x-taker-secret': takerSecret }
      const committed = await ask(`/quote-requests/${requestId}/commit`, commit, headers)
      const took = performance.now() - begun
      assert.equal((committed.quote as { price: number }).price, PRICE)
      const executionId = (committed.execution as { execution_id: string }).execution_id
      promised.push({ kind: 'committed', requestId, takerSecret, wallet, executionId, at: Date.now() })
      return took
    },
    changeMind: async () => {
      const { requestId, takerSecret } = await open()
      await ask(`/quote-requests/${requestId}/cancel`, { takerSecret })
      promised.push({ kind: 'cancelled', requestId, takerSecret, at: Date.now() })
    },
    promised,
    close: () => {
      isOver = true
      signer.close()
      client.close()
    },
  }
}
