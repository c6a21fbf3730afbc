import assert from 'node:assert/strict'
import type { Target } from './target.ts'

type OpenBody = {
  market: Record<string, unknown>
  option: Record<string, unknown>
  trade: Record<string, unknown>
  [field: string]: unknown
}

export type Opened = { requestId: string; takerSecret: string; expiresAt: string }

/** A good request of a stranger, to be spoiled. */
export async function openBody({ service }: Target): Promise<OpenBody> {
  const { market, option } = await service.option()
  return { market, option, trade: { side: 'buy', budgetUsd: 100 } }
}

/** Opens so many requests, as somebody whom nobody knows. */
export async function openMany(target: Target, count: number, fields: object = {}): Promise<Opened[]> {
  const stranger = target.stranger()
  const body = { ...(await openBody(target)), ...fields }
  return Promise.all(
    Array.from({ length: count }, async () => {
      const reply = await stranger.ask('POST', '/quote-requests', { body })
      assert.equal(reply.status, 200, reply.text)
      return reply.body as Opened
    }),
  )
}

/** Fails when a call, or one of many, was answered by another status than these; 0 is a connection that broke. */
export function only(answered: number | ReadonlyMap<number, number>, allowed: readonly number[], what = ''): void {
  const statuses = typeof answered === 'number' ? new Map([[answered, 1]]) : answered
  const others = [...statuses].filter(([status]) => !allowed.includes(status))
  assert.deepEqual(others, [], `${what}: only ${allowed} may be answered`)
}
