import { createClient, ErrorReply, type RedisClientType } from '@redis/client'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Log } from '../../../core/ports/runtime.ts'

/** A connection to Redis of one purpose: Redis serves no other command on one that listens or waits. */
export type Connection = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 2>

/** How long Redis may take to answer, in milliseconds: a maker waits for it, and a 503 is better than silence. */
const ANSWER_MS = 1_000

/** How long it may take to connect, and how soon it is tried again after a loss: growing, in milliseconds. */
const CONNECT_MS = 2_000
const RETRY_STEP_MS = 50
const RETRY_MAX_MS = 1_000

/** What Redis says when it cannot serve now, as opposed to when we are wrong. */
const OUTAGES = ['LOADING', 'READONLY', 'MASTERDOWN', 'BUSY', 'OOM', 'MISCONF', 'NOREPLICAS', 'CLUSTERDOWN']

/**
 * Opens a connection that is restored by itself. While it is down every command is refused at once: what waited for its
 * return would be done long after its caller had been told that it failed. Only subscriptions wait (`forMessages`), because
 * they are wanted whenever it is back. Fails with `store_unavailable`.
 */
export async function openConnection({
  url,
  log,
  forMessages = false,
}: {
  url: string
  log: Log
  forMessages?: boolean
}): Promise<Connection> {
  let isUp = false
  const client: Connection = createClient({
    url,
    RESP: 2,
    name: `rfqctl-${process.pid}`,
    disableOfflineQueue: !forMessages,
    // `answerOf` sees to it: a signal of its own for each command took a third of what a quote costs a node (benchmark P10).
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_MS,
      // The first connection is refused as it is; a lost one is restored for as long as it takes.
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

/** The answer, if it comes in time. Fails with `store_unavailable` in an outage: what was asked for may have been done. */
export function answerOf<Answer>(work: Promise<Answer>, withinMs = ANSWER_MS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(refusalOf(new Error(`no answer within ${withinMs} ms`)))
    // A process that stood still itself first hears what has come meanwhile.
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

/** An outage as a refusal; our own mistakes as they are. */
function refusalOf(fault: unknown): unknown {
  const isOurs = fault instanceof ErrorReply && !OUTAGES.includes(fault.message.split(' ', 1)[0] as string)
  return isOurs ? fault : new RfqError('store_unavailable', { detail: 'Redis does not answer.', cause: fault })
}
