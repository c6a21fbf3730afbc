import type { Assert } from './invariants.ts'
import type { CommitSeen, Moment, ObservationOf, OrderSeen } from './observation.ts'
import { isSameAddress, type RecoverSigner } from './orders.ts'
import type { RequestHistory, Surroundings } from './request-history.ts'

type MadeFirm = ObservationOf<'quote_sealed'>

/** V13: what a commit on a firm quote returns is what its maker signed beforehand for the quote as it stood; no one was asked for it. */
export function checkFirmQuotes(
  request: RequestHistory,
  around: Surroundings,
  assert: Assert,
  recover: RecoverSigner,
): void {
  const { requestId } = request
  const firmSignatures = request.of('quote_sealed').filter(mayStand)
  function madeFirm(
    { order, signature }: Pick<MadeFirm, 'order' | 'signature'>,
    isPreferred: (firm: MadeFirm) => boolean = () => true,
  ): MadeFirm | undefined {
    const alike = firmSignatures.filter((firm) => firm.signature === signature && textOf(firm.order) === textOf(order))
    return alike.findLast(isPreferred) ?? alike.at(-1)
  }
  for (const commit of request.of('commit')) {
    const { quoteId, revealed, isFirm = false, isFirmOnly = false } = commit
    if (quoteId === null) continue
    assert(
      'V13',
      requestId,
      isFirm || !isFirmOnly,
      () => `${requestId} returned a soft quote where only firm ones were asked for`,
    )
    if (!isFirm) {
      // From outside, an order that was asked for may be the very one that was made firm.
      const isSoft = !around.isExact || revealed === null || madeFirm(revealed) === undefined
      assert(
        'V13',
        requestId,
        isSoft,
        () => `${requestId} returned an order signed beforehand as one that was asked for`,
      )
      continue
    }
    // Without a chain no order comes back: its maker hears which it is.
    const told = request.of('quote_ended').find((one) => one.quoteId === quoteId && one.order !== undefined)?.order
    const isTold = (one: MadeFirm) =>
      one.quoteId === quoteId && (told === undefined || textOf(one.order) === textOf(told))
    // Makers of one wallet may sign the same order, each for its quote.
    const isOwn = (one: MadeFirm) => one.quoteId === quoteId
    const firm = revealed === null ? firmSignatures.findLast(isTold) : madeFirm(revealed, isOwn)
    const isOfQuote = firm !== undefined && firm.quoteId === quoteId
    assert(
      'V13',
      requestId,
      isOfQuote,
      () => `${requestId} returned an order that no one signed beforehand for ${quoteId}`,
    )
    if (firm === undefined) continue
    // It may have been asked for the same one before: near an expiry all orders of a price are one.
    const isLater = ({ order, at }: Moment) => order > firm.sent.order && at - around.lagMs >= firm.sent.at
    const isAsked = request
      .of('order_sent')
      .some(({ order, asked }) => isLater(asked) && textOf(order) === textOf(firm.order))
    assert(
      'V13',
      requestId,
      !isAsked,
      () => `${firm.makerId} was asked for the order that it had signed beforehand for ${requestId}`,
    )
    if (firm.domain !== undefined) {
      const { order, domain, signature, sent } = firm
      const signer = recover({ order, domain, signature: `0x${signature.replace(/^0x/, '')}`, at: sent.at })
      const isSigned = isSameAddress(signer, order.maker)
      assert(
        'V13',
        requestId,
        isSigned,
        () => `the firm signature of ${firm.makerId} for ${requestId} was signed by ${signer}`,
      )
    }
    const end = endOf(request, around, firm)
    assert(
      'V13',
      requestId,
      end === null,
      () => `${requestId} returned a firm signature of ${firm.makerId} whose quote ${end}`,
    )
  }
}

/** Firm signatures that no commit can have handed out: to show one is to show a secret. */
export function unusedSignatures(request: RequestHistory): readonly MadeFirm[] {
  const commits = request.of('commit')
  // Of a commit without an answer it is not known what it has traded.
  if (commits.some(({ status, isFirm = false }) => status === 0 || (status === 200 && isFirm))) return []
  return request.of('order_taken').length > 0 ? [] : request.of('quote_sealed')
}

const mayStand = ({ status }: MadeFirm): boolean => status === 200 || status === 0

/** When a firm quote was taken at the earliest: where it is seen, when the relay read its firm signature. */
function takenAt(request: RequestHistory, { isExact }: Surroundings): Moment | undefined {
  const [taken] = request.of('order_taken')
  if (isExact) return taken?.read ?? taken?.asked
  const mayHave = request.of('commit').filter(({ status }: CommitSeen) => status === 200 || status === 0)
  return mayHave.map(({ sent }) => sent).sort((a, b) => a.order - b.order)[0]
}

/** What had become of the quote of a firm signature before it was taken; null: nothing, as far as is known. */
function endOf(request: RequestHistory, around: Surroundings, firm: MadeFirm): string | null {
  const taken = takenAt(request, around)
  if (taken === undefined) return null
  const isPast = (moment: Moment) => (around.isExact ? moment.order < taken.order : moment.at + around.lagMs < taken.at)
  const madeFirm = firm.answered ?? firm.sent
  // What the relay takes out by itself is heard of later.
  const isLater = ({ order, at }: Moment) => order > madeFirm.order && at >= madeFirm.at
  /** What a maker was answered before anyone committed counts, however long news may take. */
  const isAnswered = (answered: Moment) => answered.order < taken.order
  const made = request.of('quote').filter(({ isRefused, makerId }) => !isRefused && makerId === firm.makerId)
  if (made.some(({ sent, answered }) => answered !== null && isLater(sent) && isAnswered(answered)))
    return 'was replaced'
  const withdrawn = request
    .of('quote_withdrawn')
    .filter(({ quoteId, mayStand }) => quoteId === firm.quoteId && !mayStand)
  if (
    withdrawn.some(
      ({ sent, answered }) => isLater(sent) && (isPast(sent) || (answered !== undefined && isAnswered(answered))),
    )
  )
    return 'was withdrawn'
  if (around.isExact && around.bookLosses.some((lost) => isLater(lost) && isPast(lost))) return 'was lost'
  const quote = made.findLast(({ sent }) => sent.order < firm.sent.order)
  if (quote?.livesMs == null || quote.answered === null) return null
  const decided = around.isExact ? request.of('order_taken')[0]?.counted : taken
  if (decided === undefined) return null
  const clocksMs = around.apartMs(quote.sent.at, quote.answered.at) + around.apartMs(decided.at)
  return quote.answered.at + quote.livesMs + around.lagMs + clocksMs <= decided.at ? 'had lapsed' : null
}

const textOf = (order: OrderSeen): string =>
  [order.maker, order.taker, order.seriesId, order.optionAmount, order.premiumAmount]
    .concat([order.makerSelling, order.validUntil, order.nonce].map(String))
    .join(' ')
    .toLowerCase()
