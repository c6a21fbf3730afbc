import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Relay } from '../../../src/relay/core/relay.ts'
import type { Random } from '../time/random.ts'
import type { Timeline } from '../time/timeline.ts'
import type { Life, Node } from './node.ts'

/** The answer to a call of a client; a status of 0: none came. */
export type Answer<Value> = { status: 200; value: Value } | { status: number; code: string | null }

/** The way of makers and takers to the nodes. */
export type Clients = {
  /** Calls a node; `onTaken`: the node begins with it, which one that is frozen does later. */
  call: <Value>(
    node: Node,
    work: (relay: Relay) => Value | Promise<Value>,
    onTaken?: () => void,
  ) => Promise<Answer<Value>>
  /** Sends something to a client, in the order of its channel. */
  push: (channel: { lastAt: number }, deliver: () => void) => void
  /** Does something later, as a client. */
  later: (ms: number, run: () => void) => void
  random: Random
}

/** Milliseconds of one way, and until a client gives up. */
const WAY_MS = [0.5, 15] as const
const GIVE_UP_MS = 45_000

export function createClients({
  timeline,
  random,
  onFault,
}: {
  timeline: Timeline
  random: Random
  /** Something other than a refusal was thrown. */
  onFault: (fault: unknown) => void
}): Clients {
  const way = (): number => random.between(...WAY_MS)

  function call<Value>(
    node: Node,
    work: (relay: Relay) => Value | Promise<Value>,
    onTaken = () => {},
  ): Promise<Answer<Value>> {
    return new Promise((resolve) => {
      let isOver = false
      const end = (answer: Answer<Value>): void => {
        if (isOver) return
        isOver = true
        life?.onDeath.delete(onDeath)
        stopWaiting()
        resolve(answer)
      }
      let life: Life | null = null
      const onDeath = (): void => void timeline.at(timeline.now() + way(), () => end({ status: 0, code: null }))
      const stopWaiting = timeline.at(timeline.now() + GIVE_UP_MS, () => end({ status: 0, code: null }))
      timeline.at(timeline.now() + way(), () => {
        life = node.life()
        const relay = life?.relay ?? null
        if (life === null || relay === null) return end({ status: 0, code: null })
        const { process } = life
        life.onDeath.add(onDeath)
        process.at(timeline.now(), () => {
          onTaken()
          void answerOf(() => work(relay), onFault).then((answer) =>
            process.at(timeline.now(), () => timeline.at(timeline.now() + way(), () => end(answer))),
          )
        })
      })
    })
  }

  return {
    call,
    push: (channel, deliver) => {
      channel.lastAt = Math.max(channel.lastAt, timeline.now() + way())
      timeline.at(channel.lastAt, deliver)
    },
    later: (ms, run) => void timeline.at(timeline.now() + ms, run),
    random,
  }
}

async function answerOf<Value>(
  work: () => Value | Promise<Value>,
  onFault: (fault: unknown) => void,
): Promise<Answer<Value>> {
  try {
    return { status: 200, value: await work() }
  } catch (fault) {
    if (!(fault instanceof RfqError)) {
      onFault(fault)
      return { status: 500, code: 'internal_error' }
    }
    return { status: statusOf(fault), code: fault.code }
  }
}

/** As far as the invariants ask. */
function statusOf({ code }: RfqError): number {
  if (/unavailable|internal|overloaded/.test(code)) return 503
  if (code === 'invalid_signature') return 400
  if (code === 'no_pending_acceptance' || /not_found/.test(code)) return 404
  return 409
}
