import type { Address, Usd6 } from '../../src/domain/units.ts'
import { type Check, check } from './checks.ts'
import type { Audience, RequestLife, Seen, SeenOf } from './seen.ts'

/**
 * What holds of a request that is over and of which all news is there: V1 to V4, V7 and V10, from the wire alone. Nothing
 * of the relay's own arithmetic is used.
 */
export function judgeRequest(life: RequestLife, audience: Audience): Check[] {
  return [
    ...judgeAsking(life),
    ...judgeOrders(life),
    ...judgeReveal(life),
    ...judgeTerminals(life, audience),
    ...judgeEnds(life, audience),
    ...judgeBest(life),
  ]
}

const of = <Kind extends Seen['kind']>(seen: readonly Seen[], kind: Kind): SeenOf<Kind>[] =>
  seen.filter((event): event is SeenOf<Kind> => event.kind === kind)

/** Two texts of one address: its case is only a checksum. */
const isSame = (a: Address | null, b: Address): boolean => a?.toLowerCase() === b.toLowerCase()

/** V1: while one maker may still sign, no other is asked; who is asked again, is asked for the same order. */
function judgeAsking({ requestId, seen }: RequestLife): Check[] {
  const checks: Check[] = []
  let pending: SeenOf<'asked'> | null = null
  for (const event of seen) {
    if (event.kind === 'declined' && event.quoteId === pending?.quoteId) pending = null
    if (event.kind !== 'asked') continue
    const former: SeenOf<'asked'> | null = pending
    const isAlone = former === null || former.quoteId === event.quoteId || former.deadline <= event.at
    checks.push(check('V1', isAlone, () => `${requestId} waits for ${former?.makerId} and ${event.makerId}`))
    if (former?.quoteId === event.quoteId && former.deadline === event.deadline) {
      const { nonce, optionAmount } = former.order
      const isAgain = nonce === event.order.nonce && optionAmount === event.order.optionAmount
      checks.push(check('V1', isAgain, () => `${requestId} asks ${event.makerId} for another order than before`))
    }
    pending = event
  }
  return checks
}

/** V2: an order to sign is a quote that its maker made, for the wallet that commits, and can be filled when signed. */
function judgeOrders({ requestId, trade, seen }: RequestLife): Check[] {
  const quotes = of(seen, 'quoted')
  const wallets = of(seen, 'committing').map(({ wallet }) => wallet)
  return of(seen, 'asked').flatMap(({ at, quoteId, order }) => {
    const offers = quotes.filter((quote) => quote.quoteId === quoteId)
    // An answer that was lost with its node leaves nothing to compare with.
    if (offers.length === 0) return []
    const isOffer = offers.some(({ maker, price, size }) => {
      const wanted = trade.side === 'buy' ? trade.budget / price : trade.size
      const amount = wanted < size ? wanted : size
      const isAmount = order.optionAmount === amount && order.premiumAmount === amount * price
      return isAmount && isSame(order.maker, maker) && order.makerSelling === (trade.side === 'buy')
    })
    return [
      check('V2', isOffer, () => `the order of ${requestId} is not one that its maker offered`),
      check(
        'V2',
        wallets.some((wallet) => isSame(wallet, order.taker)),
        () => `the order of ${requestId} is for ${order.taker}, who did not commit`,
      ),
      check('V2', order.validUntil * 1_000 > at, () => `the order of ${requestId} could no longer be filled`),
    ]
  })
}

/** V1, V2 and V10: one execution, signed by its maker, and the same one for whoever asks again. */
function judgeReveal({ requestId, seen }: RequestLife): Check[] {
  const revealed = of(seen, 'revealed')
  const [first] = revealed
  if (first === undefined) return []
  const signed = new Set(of(seen, 'signed').map(({ quoteId }) => quoteId))
  return [
    check('V1', signed.size <= 1, () => `${requestId} took the signatures of ${signed.size} quotes`),
    ...revealed.map(({ executionId }) =>
      check('V1', executionId === first.executionId, () => `${requestId} was executed twice`),
    ),
    ...revealed.flatMap(({ signed: trade }) =>
      trade === null
        ? []
        : [
            check(
              'V2',
              isSame(trade.signer, trade.order.maker),
              () => `the order of ${requestId} is not signed by its maker`,
            ),
          ],
    ),
    ...of(seen, 'repeated').map(({ executionId }) =>
      check(
        'V10',
        executionId === first.executionId,
        () => `the trade of ${requestId} was not the same when asked again`,
      ),
    ),
  ]
}

/** V3: one last message for each maker that quoted, `quote:confirmed` for the one that won. */
function judgeTerminals({ requestId, seen }: RequestLife, { sockets }: Audience): Check[] {
  const told = new Map<string, SeenOf<'told'>[]>()
  for (const event of of(seen, 'told')) told.set(event.socket, [...(told.get(event.socket) ?? []), event])
  const quoters = new Set(of(seen, 'quoted').map(({ makerId }) => makerId))
  const [revealed] = of(seen, 'revealed')
  const won = new Set(of(seen, 'signed').map(({ quoteId }) => quoteId))
  if (revealed !== undefined) won.add(revealed.quoteId)
  const checks: Check[] = []
  for (const [socket, { makerId }] of sockets) {
    if (!quoters.has(makerId) || told.has(socket)) continue
    checks.push(check('V3', false, () => `${makerId} did not hear how ${requestId} ended`))
  }
  for (const messages of told.values()) {
    const [{ makerId, quoteId, how }] = messages as [SeenOf<'told'>]
    checks.push(
      check('V3', messages.length === 1, () => `${makerId} heard ${messages.length} times how ${requestId} ended`),
    )
    const isRight = how === 'confirmed' ? won.size === 0 || won.has(quoteId) : revealed?.quoteId !== quoteId
    checks.push(check('V3', isRight, () => `${makerId} heard of ${requestId} that its quote was ${how}`))
  }
  const winners = new Set(of(seen, 'told').flatMap(({ how, quoteId }) => (how === 'confirmed' ? [quoteId] : [])))
  return [...checks, check('V1', winners.size <= 1, () => `${winners.size} quotes of ${requestId} were confirmed`)]
}

/** V4: the end once on each stream, and no best quote after it. */
function judgeEnds({ requestId, seen }: RequestLife, { streams }: Audience): Check[] {
  const ends = new Map<string, number>()
  const checks: Check[] = []
  for (const event of seen) {
    if (event.kind === 'ended') ends.set(event.stream, (ends.get(event.stream) ?? 0) + 1)
    if (event.kind === 'best' && ends.has(event.stream))
      checks.push(check('V4', false, () => `${event.stream} showed a best quote of ${requestId} after its end`))
  }
  for (const stream of new Set([...streams, ...ends.keys()])) {
    const count = ends.get(stream) ?? 0
    checks.push(check('V4', count === 1, () => `${stream} showed ${count} times that ${requestId} ended`))
  }
  return checks
}

/**
 * V7: nobody who was there at the commit and did not decline offered better than who won; and once all quotes are counted,
 * the best of them is shown. Before that the order in which two connections are read says nothing.
 */
function judgeBest({ requestId, trade, seen }: RequestLife): Check[] {
  const best = (prices: readonly Usd6[]): Usd6 | null =>
    prices.reduce<Usd6 | null>(
      (top, price) => (top === null || (trade.side === 'buy' ? price < top : price > top) ? price : top),
      null,
    )
  const newest = new Map(of(seen, 'quoted').map((quote) => [quote.makerId, quote]))
  const isOnce = newest.size === of(seen, 'quoted').length
  const overall = best([...newest.values()].map(({ price }) => price))
  const begins = seen.findIndex(({ kind }) => kind === 'committing')
  const [revealed] = of(seen, 'revealed')
  const shown = of(begins === -1 ? seen : seen.slice(0, begins), 'best')
  // Where a maker quoted again, its prices are not known to be old or new by their count.
  const whole = isOnce ? shown.filter(({ quoteCount, price }) => quoteCount === newest.size && price !== null) : []
  const checks = whole.map(({ price }) =>
    check('V7', price === overall, () => `${requestId} was shown at ${price}, the best of all was ${overall}`),
  )
  if (revealed === undefined || begins === -1) return checks
  const passed = new Set(of(seen, 'declined').map(({ quoteId }) => quoteId))
  for (const { quoteId } of of(seen, 'asked')) if (quoteId !== revealed.quoteId) passed.add(quoteId)
  const standing = of(seen.slice(0, begins), 'quoted').filter(({ quoteId }) => !passed.has(quoteId))
  const limit = best([...standing.map(({ price }) => price), revealed.price])
  return [
    ...checks,
    check(
      'V7',
      limit === revealed.price,
      () => `${requestId} was taken at ${revealed.price} while ${limit} was on offer`,
    ),
  ]
}
