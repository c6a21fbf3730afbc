import { createClient, ErrorReply, type RedisClientType } from '@redis/client'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Log } from '../../../core/ports/runtime.ts'

/** A connection for one purpose: Redis serves no other command on one that subscribes or blocks. */
export type Connection = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 2>

/** Milliseconds for an answer of Redis: a maker waits for it, and a 503 is better than silence. */
const ANSWER_MS = 1_000

/** Milliseconds to connect; retries after a loss are delayed by growing steps. */
const CONNECT_MS = 2_000
const RETRY_STEP_MS = 50
const RETRY_MAX_MS = 1_000

/** Redis's errors for "cannot serve now", as opposed to our mistakes. */
const OUTAGES = ['LOADING', 'READONLY', 'MASTERDOWN', 'BUSY', 'OOM', 'MISCONF', 'NOREPLICAS', 'CLUSTERDOWN']

/**
 * Opens a connection that reconnects by itself. While it is down every command is refused at once: a queued command
 * would run long after its caller had received an error. Only subscriptions wait (`forMessages`), because they are
 * wanted whenever Redis is back. Fails with `store_unavailable`.
 */
export async function openConnection(parts: { url: string; log: Log; forMessages?: boolean }): Promise<Connection> {
  const { url, log, forMessages = false } = parts
  let isUp = false
  const client: Connection = createClient({
    url,
    RESP: 2,
    name: `rfqctl-${process.pid}`,
    disableOfflineQueue: !forMessages,
    // `answerOf` bounds it: a signal for each command took a third of what a quote costs a node (benchmark P10).
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_MS,
      // The first connection fails at once; a lost one is retried without end.
      reconnectStrategy: (retries, cause) => (isUp ? Math.min(retries * RETRY_STEP_MS, RETRY_MAX_MS) : cause),
    },
  })
  client.on('error', (fault) => log.warn('redis_connection_lost', { fault: refusalOf(fault) }))
  try {
    await client.connect()
  } catch (fault) {
    throw refusalOf(fault)
  }
  isUp = true
  return client
}

/** The answer, if it comes in time. Fails with `store_unavailable` in an outage: the command may have run. */
export function answerOf<Answer>(work: Promise<Answer>, withinMs = ANSWER_MS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(refusalOf(new Error(`no answer within ${withinMs} ms`)))
    // A process that was itself suspended first reads what has arrived meanwhile.
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), withinMs)
    work.then(
      (answer) => {
        clearTimeout(timer)
        resolve(answer)
      },
      (fault: unknown) => {
        clearTimeout(timer)
        reject(refusalOf(fault))
      },
    )
  })
}

/** Outages become refusals; our own mistakes pass unchanged. */
function refusalOf(fault: unknown): unknown {
  const isOurs = fault instanceof ErrorReply && !OUTAGES.includes(fault.message.split(' ', 1)[0] as string)
  return isOurs ? fault : new RfqError('store_unavailable', { detail: 'Redis does not answer.', cause: fault })
}
