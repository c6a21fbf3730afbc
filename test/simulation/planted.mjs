// Faults that are planted on purpose: the simulation must find each of them. `edits` are made in the source while it is bundled, and
// each matches exactly once, so that none of them is lost when the source changes; `planted` switches a fault of a model on.

const PROTECTIONS = 'src/relay/core/maker-protections.ts'
const DECISION = 'src/protocol/domain/acceptance.ts'
const BOOK = 'src/relay/adapters/live/memory/book.ts'

/** @type {readonly import('./planted.mjs').PlantedFault[]} */
export const PLANTED = [
  {
    name: 'R1: nonces continue after a restore',
    breaks: ['V15'],
    needs: ['restore'],
    planted: { database: { keepsNonces: true } },
  },
  {
    name: 'R2: a former primary is taken for the newest',
    breaks: ['V7', 'V10', 'V13', 'V16'],
    needs: ['fail over'],
    planted: { market: { servesFormer: true } },
  },
  {
    name: 'R3: a sweep reads absences first, and withdraws later, maker by maker',
    breaks: ['V16'],
    needs: ['slow', 'drop', 'drop all'],
    edits: [
      {
        file: PROTECTIONS,
        find: "await removeQuotes(context, makerId, { held: 'taken', ifGone: rule })",
        replace: "await removeQuotes(context, makerId, { held: 'taken' })",
      },
      {
        file: PROTECTIONS,
        find: 'watched.has(makerId) ? withdrawIfGone(makerId) : undefined',
        replace:
          'thenMaybe(graceEnd(makerId), (end) => end === null || clock.now() < end ? undefined : withdrawIfGone(makerId))',
      },
    ],
  },
  {
    name: 'the signature of anyone counts',
    breaks: ['V2'],
    edits: [
      {
        file: 'src/relay/core/signature-checks.ts',
        find: "return signer === wallet ? { signature, shownBy: 'key' } : null",
        replace: "return signer !== null ? { signature, shownBy: 'key' } : null",
      },
    ],
  },
  {
    name: 'an order is no debt in the last part of its time',
    breaks: ['no wallet promises more than it has'],
    edits: [
      {
        file: 'src/protocol/domain/reservation.ts',
        find: 'order.validUntil >= chainTime && !onChain?.hasEnded(order)',
        replace: 'order.validUntil >= chainTime + 50 && !onChain?.hasEnded(order)',
      },
    ],
  },
  {
    name: 'a series is resolved again',
    breaks: ['V5'],
    edits: [
      {
        file: 'src/relay/core/resolver.ts',
        find: '    if (standing !== null) return standing\n    const group',
        replace: '    const group',
      },
      {
        file: 'src/relay/core/resolver.ts',
        find: '  if ((await resolveLikeOthers(context, group)) !== null) return\n',
        replace: '',
      },
      {
        file: 'src/relay/core/resolver.ts',
        find: 'store.prices.between(yesTokenId, windowStart, windowEnd),',
        replace: '[],',
      },
      {
        file: 'src/relay/adapters/store/settlement.ts',
        find: '          if (standing !== undefined) return standing\n          draft',
        replace: '          draft',
      },
    ],
  },
  {
    name: 'a window never trips',
    breaks: ['V11'],
    edits: [
      {
        file: DECISION,
        find: "  if (verdict.kind === 'tripped') return { kind: 'tripped', trip: verdict.trip, restsOn: counting }\n",
        replace: '',
      },
    ],
  },
  {
    name: 'a suspended maker is asked',
    breaks: ['V12'],
    edits: [
      {
        file: DECISION,
        find: "  if (activeSuspension(suspension, now) !== null) return { kind: 'refused', reason: 'suspended' }\n",
        replace: '',
      },
      {
        file: 'src/relay/core/maker-records.ts',
        find: 'return suspension === null ? null : refusalFor(suspension)',
        replace: 'return suspension === null || suspension.until > 0 ? null : refusalFor(suspension)',
      },
    ],
  },
  {
    name: 'a miss does not count',
    breaks: ['V7'],
    edits: [{ file: BOOK, find: 'makerId) + (isMiss ? 1 : 0)', replace: 'makerId)' }],
  },
  {
    name: 'a withdrawn quote stays in the book',
    breaks: ['V7', 'V13'],
    edits: [
      {
        file: BOOK,
        find: "if (isHeld(found.entry, key.quoteId)) return 'locked'\n      take(found.entry, key.makerId)",
        replace: "if (isHeld(found.entry, key.quoteId)) return 'locked'",
      },
    ],
  },
  {
    name: 'makers are not sent the end of a request',
    breaks: ['V3'],
    edits: [
      {
        file: 'src/relay/core/close-request.ts',
        find: '  store.history.reject(requestId, rejections)\n',
        replace: '',
      },
    ],
  },
  {
    name: 'the signature of a firm quote is in the audit log',
    breaks: ['V8'],
    edits: [
      {
        file: 'src/relay/core/firm-quote.ts',
        find: "record(context, requestId, { kind: 'quote_sealed', makerId, quoteId })",
        replace: "record(context, requestId, { kind: 'quote_sealed', makerId, quoteId, signature })",
      },
    ],
  },
  {
    name: 'each look at a request takes another nonce',
    breaks: ['V1'],
    edits: [
      {
        file: 'test/simulation/database/database.ts',
        find: 'if (known !== undefined) {',
        replace: 'if (known === -1) {',
      },
    ],
  },
  {
    name: 'makers that are not asked hear which side is',
    breaks: ['both sides sound alike'],
    inPairs: true,
    edits: [
      {
        file: 'src/relay/core/ask-maker.ts',
        find: "  log.info('maker_asked', { requestId, quoteId, makerId })\n",
        replace: `  log.info('maker_asked', { requestId, quoteId, makerId })
  for (const other of await context.book.ranked(requestId)) {
    const rank = order.makerSelling ? 1 : 2
    const lost = { kind: 'rejected', requestId, quoteId: other.quoteId, reason: 'another_quote_won' }
    if (other.makerId !== makerId) await bus.publish('maker', other.makerId, { ...lost, feedback: { rank, quoteCount: 2, winningPrice: null } })
  }\n`,
      },
    ],
  },
  {
    name: 'makers that are not asked hear that another one is',
    breaks: ['both sides sound alike'],
    inPairs: true,
    edits: [
      {
        file: 'src/relay/core/ask-maker.ts',
        find: "  log.info('maker_asked', { requestId, quoteId, makerId })\n",
        replace: `  log.info('maker_asked', { requestId, quoteId, makerId })
  for (const other of await context.book.ranked(requestId))
    if (other.makerId !== makerId) await bus.publish('maker', other.makerId, { kind: 'missed', requestId, quoteId: other.quoteId })\n`,
      },
    ],
  },
]
