import { wrongBestQuotes } from './best-quote.ts'
import { endedTwice, endedWrongly, neverEnded } from './endings.ts'
import type { History } from './history.ts'
import { moreThanOneOrder, wrongOrders } from './orders.ts'
import { brokenStreams } from './streams.ts'

/** What a history shows of the invariants V1 to V10 that did not hold, each as a sentence that begins with its name. */
export function breachesOf(history: History): string[] {
  return [
    ...moreThanOneOrder(history),
    ...wrongOrders(history),
    ...endedTwice(history),
    ...neverEnded(history),
    ...endedWrongly(history),
    ...secondResolutions(history),
    ...brokenStreams(history),
    ...wrongBestQuotes(history),
    ...foundSecrets(history),
    ...miscountedMakers(history),
    ...brokenPromises(history),
  ]
}

/** V5: one resolution of a series for ever, whoever asks whom. */
function* secondResolutions({ resolutions }: History): Generator<string> {
  const known = new Map<string, number>()
  for (const { seriesId, resolutionBps } of resolutions) {
    const first = known.get(seriesId) ?? resolutionBps
    known.set(seriesId, first)
    if (first !== resolutionBps) yield `V5: ${seriesId} was resolved at ${first} and at ${resolutionBps}`
  }
}

/** V8: what must be kept secret is nowhere. The secret itself is not told here either. */
function* foundSecrets({ secrets, confirms, sinks }: History): Generator<string> {
  const taken = new Set(confirms.filter(({ status }) => status === 200).map(({ signature }) => signature))
  const late = confirms.filter(({ status, signature }) => status === 404 && !taken.has(signature))
  const refused = late.map(({ makerId, signature }) => ({ name: `a late signature of ${makerId}`, value: signature }))
  for (const sink of sinks) {
    for (const { name, value } of [...secrets, ...refused])
      if (sink.text.includes(value)) yield `V8: ${sink.name} shows ${name}`
  }
}

/** V9: as many makers as have a live stream. */
function* miscountedMakers({ opened }: History): Generator<string> {
  for (const { requestId, makersConnected, makersBetween } of opened) {
    const [least, most] = makersBetween
    if (makersConnected >= least && makersConnected <= most) continue
    yield `V9: ${requestId} was told to ${makersConnected} makers, and ${least} to ${most} were connected`
  }
}

/** V10: what was promised is kept. */
function* brokenPromises({ promises, confirms, outcomes }: History): Generator<string> {
  for (const { makerId, endings } of outcomes) {
    for (const confirm of confirms) {
      if (confirm.status !== 200 || confirm.makerId !== makerId) continue
      const isKept = endings.some(({ quoteId, status }) => quoteId === confirm.quoteId && status === 'confirmed')
      if (!isKept) yield `V10: ${makerId} confirmed ${confirm.quoteId} by a 200, and its history does not have it`
    }
  }
  for (const { what, promised, kept } of promises) {
    if (promised !== kept) yield `V10: ${what} was answered by ${promised}, and after a kill by ${kept}`
  }
}
