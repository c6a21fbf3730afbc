import { setTimeout as pause } from 'node:timers/promises'
import type { EndingRead } from '../../test/invariants/observation.ts'
import type { Collector } from './collector.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { createHttpClient, encodeRequest } from './http-connection.ts'
import type { SoakMaker } from './maker-session.ts'

/** How often the histories are read, milliseconds. */
const READ_EVERY_MS = 5_000

/** How far back: to requests that are not checked yet, and orders that have ended, milliseconds. */
const LOOKS_BACK_MS = 60_000

/** Reads what makers that were away have missed. */
export type Histories = {
  /** Reads them again and again until the signal ends it, and once more. */
  run: (until: AbortSignal) => Promise<void>
  /** What ended before then, Unix milliseconds, is in what was read. */
  readUntil: () => number
}

/** The histories of all makers, of which nothing was read yet. */
export function createHistories({
  pools,
  makers,
  collector,
}: {
  pools: readonly ConnectionPool[]
  makers: readonly SoakMaker[]
  collector: Collector
}): Histories {
  const clients = pools.map(createHttpClient)
  let readUntil = Number.NEGATIVE_INFINITY
  let reads = 0

  async function read({ makerId, apiKey }: SoakMaker, client: (typeof clients)[number]): Promise<void> {
    const begunAt = Date.now()
    const since = new Date(begunAt - LOOKS_BACK_MS).toISOString()
    const endings: EndingRead[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after = cursor === '' ? '' : `&cursor=${cursor}`
      const path = `/v1/mm/executions?since=${since}${after}`
      const { status, text } = await client.call(encodeRequest('GET', path, { headers: { 'x-api-key': apiKey } }))
      if (status !== 200) throw new Error(`answered by ${status}: ${text}`)
      const page = JSON.parse(text) as { executions: EndingRead[]; nextCursor: string | null }
      endings.push(...page.executions)
      cursor = page.nextCursor
    }
    collector.observe({ kind: 'history_read', makerId, endings, begunAt })
  }

  async function readAll(): Promise<void> {
    const begunAt = Date.now()
    reads += 1
    try {
      for (const [n, maker] of makers.entries()) {
        await read(maker, clients[(n + reads) % clients.length] as (typeof clients)[number])
      }
      readUntil = begunAt
    } catch (fault) {
      collector.failed('a history', fault)
    }
  }

  return {
    readUntil: () => readUntil,
    run: async (until) => {
      while (!until.aborted) {
        await readAll()
        await pause(READ_EVERY_MS, undefined, { signal: until }).catch(() => {})
      }
      await readAll()
    },
  }
}
