import { RfqError } from '../../../src/protocol/domain/errors.ts'
import type { Process } from '../time/process.ts'
import type { Random } from '../time/random.ts'
import type { Timeline } from '../time/timeline.ts'

/** How a link carries calls. `half-open`: requests arrive, answers do not. */
export type LinkState = 'up' | 'cut' | 'half-open'

/** The way of a process to a server: each call arrives a while later, and its answer a while after that. */
export type Link = {
  /** Carries a call to the server. It is refused as an outage when no answer comes within the time of the link. */
  call: <Answer>(what: string, effect: () => Answer | Promise<Answer>) => Promise<Answer>
  /** Sends something to the process, at most once; it may come twice where `repeats` says so. */
  send: (what: string, deliver: () => void, repeats?: boolean) => void
  set: (state: LinkState) => void
  isUp: () => boolean
  /** It is up and loses nothing. */
  isSound: () => boolean
  /** Until then each message takes longer by so many milliseconds. */
  slow: (byMs: number, until: number) => void
  /** The share of calls that are lost on the way there, and on the way back. */
  lose: (share: number) => void
}

export type LinkOptions = {
  timeline: Timeline
  process: Process
  random: Random
  name: string
  /** Milliseconds until a call without an answer is refused. */
  answerMs: number
  /** Whether what was sent first arrives first, as on one connection. */
  inOrder: boolean
  /** Records what happens. */
  trace: (what: string) => void
}

/** Milliseconds of one way: most are quick, a few are not. */
const QUICK_MS = [0.1, 1.5] as const
const SLOW_MS = [2, 40] as const
const SLOW_SHARE = 0.02

export function createLink(options: LinkOptions): Link {
  const { timeline, process, random, name, answerMs, inOrder, trace } = options
  let state: LinkState = 'up'
  let lost = 0
  let slower = { byMs: 0, until: 0 }
  let lastThere = 0
  let lastBack = 0

  const delay = (): number => {
    const [low, high] = random.chance(SLOW_SHARE) ? SLOW_MS : QUICK_MS
    return random.between(low, high) + (timeline.now() < slower.until ? slower.byMs : 0)
  }
  const isLost = (): boolean => lost > 0 && random.chance(lost)

  function arrivalThere(): number {
    lastThere = Math.max(inOrder ? lastThere : 0, timeline.now() + delay())
    return lastThere
  }

  function arrivalBack(): number {
    lastBack = Math.max(inOrder ? lastBack : 0, timeline.now() + delay())
    return lastBack
  }

  return {
    call: (what, effect) =>
      new Promise((resolve, reject) => {
        const begun = timeline.now()
        const refuse = (): void => {
          process.at(begun + answerMs, () => {
            trace(`${name} ${what} unanswered`)
            reject(new RfqError('store_unavailable', { detail: `${name} does not answer.` }))
          })
        }
        if (state === 'cut' || isLost()) return refuse()
        timeline.at(arrivalThere(), () => {
          if (state === 'cut') return refuse()
          trace(`${name} ${what}`)
          let answer: ReturnType<typeof effect>
          try {
            answer = effect()
          } catch (fault) {
            answer = Promise.reject(fault)
          }
          const isAnswerLost = isLost()
          Promise.resolve(answer).then(
            (value) => {
              if (state !== 'up' || isAnswerLost) return refuse()
              process.at(arrivalBack(), () => {
                trace(`${name} ${what} answered`)
                resolve(value)
              })
            },
            (fault: unknown) => process.at(arrivalBack(), () => reject(fault)),
          )
        })
      }),
    send: (what, deliver, repeats = false) => {
      if (state !== 'up' || isLost()) return
      const arrive = () => {
        process.at(arrivalBack(), () => {
          if (state === 'cut') return
          trace(`${name} ${what} delivered`)
          deliver()
        })
      }
      arrive()
      if (repeats && lost > 0 && random.chance(lost)) arrive()
    },
    set: (next) => {
      state = next
    },
    isUp: () => state === 'up',
    isSound: () => state === 'up' && lost === 0,
    slow: (byMs, until) => {
      slower = { byMs, until }
    },
    lose: (share) => {
      lost = share
    },
  }
}
