import { checkBestQuote } from './best-quote.ts'
import { checkCalls } from './calls.ts'
import { createClocksApart } from './clocks-apart.ts'
import { checkEndings, checkIsEnded, checkStreamEnds } from './endings.ts'
import { checkFirmQuotes, unusedSignatures } from './firm-quotes.ts'
import { type Coverage, createScores, type Scores, type Violation } from './invariants.ts'
import type { EndingRead, Moment, Observation, ObservationOf } from './observation.ts'
import { createOrderEndChecker } from './order-ends.ts'
import { checkOneOrder, checkOrders, type RecoverSigner, recoverSigner } from './orders.ts'
import { createProtectionChecker } from './protections.ts'
import { createRecordChecker } from './records.ts'
import { createRequestHistory, type RequestHistory, type RequestKind } from './request-history.ts'
import { createStreamChecker } from './streams.ts'

/** All that a collector has observed, in the order in which it has. */
export type History = CheckerOptions & { observations: readonly Observation[] }

/** What the observations of a checker are like. */
export type CheckerOptions = {
  coverage: Coverage
  /** Whether ids are also given to events that nobody is told, so that ids are left out. Absent: no. */
  skipsIds?: boolean
  /** Whether it goes on until all is over, so that each request has ended. Absent: no. */
  isComplete?: boolean
  /** To whom signatures recover. Absent: as ethers says. */
  recover?: RecoverSigner
}

/** Checks observations as they come, in bounded memory: what is over is forgotten. */
export type Checker = Pick<Scores, 'scores' | 'violations'> & {
  observe: (observation: Observation) => void
  /** Checks the requests that ended before then, Unix milliseconds, and forgets them; returns how many. */
  settle: (endedBefore: number) => number
  /** Judges the records that were read, when what they are about was observed. */
  judgeRecords: () => void
  /** Checks everything that is left. */
  finish: () => void
}

/** What a bounded memory holds: requests that are over, and nonces. */
const REMEMBERED = 100_000

/** What a history shows to be broken of the invariants. */
export function checkInvariants({ observations, ...options }: History): Violation[] {
  const checker = createChecker({ ...options, kept: Number.POSITIVE_INFINITY })
  // Who is there, what was lost and what makers read counts for all requests; sinks are searched for all secrets.
  for (const observation of observations) if (observation.kind !== 'sink') checker.observe(observation)
  for (const observation of observations) if (observation.kind === 'sink') checker.observe(observation)
  checker.finish()
  return [...checker.violations]
}

/** A checker that has observed nothing. It keeps so many violations in full. */
export function createChecker({
  coverage: { lagMs, takeoverMs, clockErrorMs = 0, isOrdered = false, hasChain = true },
  skipsIds = false,
  isComplete = false,
  recover = recoverSigner,
  kept,
}: CheckerOptions & { kept: number }): Checker {
  const { assert, scores, violations } = createScores(kept)
  const streams = createStreamChecker(assert, { skipsIds })
  const protections = createProtectionChecker(assert, { lagMs, isOrdered })
  const orderEnds = createOrderEndChecker(assert, { lagMs })
  const clocks = createClocksApart()
  const records = createRecordChecker(assert, { lagMs, hasChain, apartMs: clocks.apartMs })
  const requests = new Map<string, RequestHistory>()
  const endedAt = new Map<string, number>()
  const over = new Set<string>()
  const lastingSockets = new Map<string, string>()
  const lastingStreams = new Set<string>()
  const makersWithSocket = new Set<string>()
  const endingsRead = new Map<string, readonly EndingRead[]>()
  const bookLosses: Moment[] = []
  const demotions: ObservationOf<'maker_demoted'>[] = []
  const around = {
    lagMs,
    takeoverMs: takeoverMs ?? null,
    clockErrorMs,
    apartMs: clocks.apartMs,
    isExact: lagMs === 0,
    lastingSockets,
    lastingStreams,
    makersWithSocket,
    endingsRead,
    bookLosses,
    demotions,
  }
  const requestOfNonce = new Map<string, string>()
  const resolutions = new Map<string, number>()
  const secrets = new Map<string, string>()

  function add(observation: Observation & { kind: RequestKind; requestId: string }): void {
    const { requestId } = observation
    if (over.has(requestId)) {
      // A late signature comes when all else is over, and is a secret then, too.
      const isNews = observation.kind !== 'confirm'
      if (!isNews) noteLateSignatures([observation])
      assert('V4', requestId, !isNews, () => `${requestId} was over, and then came ${observation.kind}`)
      return
    }
    const known = requests.get(requestId) ?? createRequestHistory(requestId)
    requests.set(requestId, known)
    known.add(observation)
  }

  function end(requestId: string, { at }: Moment): void {
    if (!endedAt.has(requestId) && !over.has(requestId)) endedAt.set(requestId, at)
  }

  /** V15: of orders that were asked for, and of those that were made firm. */
  function checkNonces(request: RequestHistory): void {
    const madeFirm = request.of('quote_sealed').filter(({ status }) => status === 200)
    for (const { requestId, order } of [...request.of('order_sent'), ...madeFirm]) {
      const { maker, nonce } = order
      const key = `${maker} ${nonce}`
      const first = requestOfNonce.get(key) ?? requestId
      remember(requestOfNonce, key, first)
      assert(
        'V15',
        requestId,
        first === requestId,
        () => `nonce ${nonce} of ${maker} was given to ${first} and to ${requestId}`,
      )
    }
  }

  /** V10: what a 200 of a confirm promised is in the maker's own history. */
  function checkConfirms(request: RequestHistory): void {
    for (const { requestId, makerId, quoteId, status } of request.of('confirm')) {
      const endings = endingsRead.get(makerId)
      if (status !== 200 || endings === undefined) continue
      const isKept = endings.some((ending) => ending.quoteId === quoteId && ending.status === 'confirmed')
      assert(
        'V10',
        requestId,
        isKept,
        () => `${makerId} confirmed ${quoteId} by a 200, and its history does not have it`,
      )
    }
  }

  /** A signature that was refused as late must be found nowhere (decision C8). */
  function noteLateSignatures(confirms: readonly ObservationOf<'confirm'>[]): void {
    // One without an answer may have been taken.
    const taken = new Set(
      confirms.filter(({ status }) => status === 200 || status === 0).map(({ signature }) => signature),
    )
    for (const { makerId, signature, status } of confirms) {
      if (status === 404 && !taken.has(signature)) secrets.set(signature, `a late signature of ${makerId}`)
    }
  }

  /** A firm signature that was not handed out by a commit must be found nowhere (decision F3). */
  function noteUnusedSignatures(request: RequestHistory): void {
    for (const { makerId, signature } of unusedSignatures(request))
      secrets.set(signature, `a firm signature of ${makerId}`)
  }

  function check(request: RequestHistory): void {
    checkOneOrder(request, assert)
    checkNonces(request)
    checkOrders(request, assert, recover)
    checkEndings(request, around, assert)
    checkStreamEnds(request, around, assert)
    checkBestQuote(request, around, assert)
    checkConfirms(request)
    checkCalls(request, around, assert)
    checkFirmQuotes(request, around, assert, recover)
    noteUnusedSignatures(request)
    noteLateSignatures(request.of('confirm'))
  }

  /** V8: what must be kept secret is nowhere. The secret itself is not told here either. */
  function search({ name, text }: ObservationOf<'sink'>): void {
    for (const request of requests.values()) {
      noteLateSignatures(request.of('confirm'))
      noteUnusedSignatures(request)
    }
    const found = [...secrets].find(([value]) => text.includes(value))
    assert('V8', null, found === undefined, () => `${name} shows ${found?.[1]}`)
  }

  /** What is not kept with its request, or not only there. */
  const handlers: { [Kind in Observation['kind']]?: (observation: ObservationOf<Kind>) => void } = {
    makers_counted: ({ requestId, counted, least, most }) => {
      const found = () =>
        `${counted} makers were told of ${requestId ?? 'a request'}, and ${least} to ${most} were connected`
      assert('V9', requestId, counted >= least && counted <= most, found)
    },
    maker_demoted: (observation) => void demotions.push(observation),
    socket_opened: ({ socket, makerId, isLasting }) => {
      makersWithSocket.add(makerId)
      if (isLasting) lastingSockets.set(socket, makerId)
    },
    maker_stream_opened: (observation) => {
      if (observation.isLasting) lastingStreams.add(observation.stream)
      streams.open(observation)
    },
    maker_event: (observation) => {
      streams.event(observation)
      const { event, requestId, moment } = observation
      if (event !== 'quote_request_expired' || requestId === null) return
      add({ ...observation, requestId })
      end(requestId, moment)
    },
    taker_event: (observation) => {
      add(observation)
      if (observation.event === 'closed') end(observation.requestId, observation.moment)
    },
    history_read: (observation) => {
      orderEnds.observe(observation)
      endingsRead.set(observation.makerId, observation.endings)
    },
    order_ended: (observation) => {
      orderEnds.observe(observation)
      records.observe(observation)
    },
    promise_reread: ({ what, promised, kept: answer }) => {
      assert('V10', null, promised === answer, () => `${what} was answered by ${promised}, and later by ${answer}`)
    },
    series_resolved: ({ seriesId, resolutionBps }) => {
      const first = resolutions.get(seriesId) ?? resolutionBps
      resolutions.set(seriesId, first)
      const found = () => `${seriesId} was resolved at ${first} and at ${resolutionBps}`
      assert('V5', null, first === resolutionBps, found)
    },
    secret: ({ name, value }) => void secrets.set(value, name),
    sink: search,
    order_sent: (observation) => {
      orderEnds.observe(observation)
      records.observe(observation)
      add(observation)
      protections.ask(observation, requests.get(observation.requestId)?.of('quote') ?? [])
    },
    order_taken: (observation) => {
      const { requestId, makerId, quoteId, order, signature, asked, counted, isProven } = observation
      const names = { requestId, makerId, quoteId }
      // Its maker was not asked, and yet it is bound as if it had been and had signed at once.
      const deadline = counted.at + 1
      const proof = isProven === undefined ? {} : { isProven }
      const sent = { kind: 'order_sent', ...names, ...proof, order, deadline, asked, counted } as const
      const signed = { kind: 'confirm', ...names, signature, sent: counted, status: 200 } as const
      for (const part of [orderEnds, records]) {
        part.observe(sent)
        part.observe(signed)
      }
      add(observation)
      protections.ask(sent, requests.get(requestId)?.of('quote') ?? [])
    },
    confirm: (observation) => {
      orderEnds.observe(observation)
      records.observe(observation)
      add(observation)
    },
    passed_over: (observation) => {
      records.observe(observation)
      add(observation)
    },
    commit: (observation) => {
      records.observe(observation)
      add(observation)
    },
    request_opened: (observation) => {
      records.observe(observation)
      add(observation)
    },
    quote: (observation) => {
      records.observe(observation)
      add(observation)
    },
    quote_withdrawn: (observation) => {
      protections.withdraw(observation)
      add(observation)
    },
    declined: records.observe,
    wallet_emptied: records.observe,
    relay_killed: records.observe,
    maker_suspended: records.observe,
    maker_reinstated: records.observe,
    record_read: records.observe,
    records_compared: records.observe,
    protections_put: protections.observe,
    protections_reset: protections.observe,
    maker_gone: (observation) => {
      records.observe(observation)
      protections.observe(observation)
    },
    maker_back: protections.observe,
    maker_left: records.observe,
    clocks_apart: clocks.observe,
    book_lost: ({ moment }) => void bookLosses.push(moment),
  }

  return {
    scores,
    violations,
    observe: (observation) => ((handlers[observation.kind] ?? add) as (observation: Observation) => void)(observation),
    settle: (endedBefore) => {
      let settled = 0
      for (const [requestId, at] of endedAt) {
        const request = requests.get(requestId)
        if (at >= endedBefore || request === undefined) continue
        check(request)
        requests.delete(requestId)
        endedAt.delete(requestId)
        remember(over, requestId)
        settled += 1
      }
      return settled
    },
    judgeRecords: records.finish,
    finish: () => {
      for (const request of requests.values()) {
        check(request)
        if (isComplete) checkIsEnded(request, assert)
      }
      streams.finish()
      records.finish()
    },
  }
}

/** Adds to a memory that holds the newest only. */
function remember(memory: Map<string, string>, key: string, value: string): void
function remember(memory: Set<string>, key: string): void
function remember(memory: Map<string, string> | Set<string>, key: string, value = ''): void {
  if (memory instanceof Set) memory.add(key)
  else memory.set(key, value)
  const [oldest] = memory.keys()
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest)
}
