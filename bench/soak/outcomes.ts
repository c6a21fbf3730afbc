import type { ConnectionPool } from './connection-pool.ts'
import { encodeRequest, openHttpConnection } from './http-connection.ts'

const OUTCOME = /^rfqctl_confirmations_total\{outcome="([^"]+)"\} (\d+)$/gm

/** What came of all orders that makers were asked to sign, or meant to be, by what the nodes have counted. */
export async function outcomesOf(pools: readonly ConnectionPool[]): Promise<Record<string, number>> {
  const expositions = await Promise.all(
    pools.map((pool) => openHttpConnection(pool).call(encodeRequest('GET', '/metrics'))),
  )
  const counts: Record<string, number> = {}
  for (const [, outcome = '', count] of expositions.flatMap(({ text }) => [...text.matchAll(OUTCOME)])) {
    counts[outcome] = (counts[outcome] ?? 0) + Number(count)
  }
  return counts
}
