// Faults that are planted on purpose: the simulation must find each of them. `edits` are made in the source while it is bundled, and
// each matches exactly once, so that none of them is lost when the source changes; `planted` switches a fault of a model on.

/** @typedef {{ file: string, find: string, replace: string }} Edit */
/** @typedef {{ name: string, edits?: Edit[], planted?: { database?: object, market?: object } }} PlantedFault */

const PROTECTIONS = 'src/relay/core/maker-protections.ts'
const STORE = 'src/relay/adapters/store/acceptances.ts'
const BOOK = 'src/relay/adapters/live/memory/book.ts'

/** @type {readonly PlantedFault[]} */
export const PLANTED = [
  { name: 'R1: nonces continue after a restore', planted: { database: { keepsNonces: true } } },
  { name: 'R2: a former primary is taken for the newest', planted: { market: { servesFormer: true } } },
  {
    name: 'R3: a sweep reads absences first, and withdraws later, maker by maker',
    edits: [
      {
        file: PROTECTIONS,
        find: "await removeQuotes(context, makerId, { held: 'taken', ifGone: rule })",
        replace: "await removeQuotes(context, makerId, { held: 'taken' })",
      },
      {
        file: PROTECTIONS,
        find: 'return rule === undefined ? undefined : withdrawIfGone(makerId, rule)',
        replace:
          'return rule === undefined ? undefined : thenMaybe(graceEnd(makerId), (end) => end === null || clock.now() < end ? undefined : withdrawIfGone(makerId, rule))',
      },
    ],
  },
  {
    name: 'the signature of anyone counts',
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
    edits: [
      {
        file: 'src/protocol/domain/reservation.ts',
        find: 'order.validUntil >= chainTime && !onChain?.hasEnded(order)',
        replace: 'order.validUntil >= chainTime + 50 && !onChain?.hasEnded(order)',
      },
    ],
  },
  { name: 'a series is resolved again', planted: { database: { pinsTwice: true } } },
  {
    name: 'a window never trips',
    edits: [
      {
        file: STORE,
        find: "if (verdict.kind === 'within') return",
        replace: "if (verdict.kind !== 'unproven') return",
      },
    ],
  },
  {
    name: 'the store asks two makers at once',
    edits: [
      {
        file: STORE,
        find: "draft.get('requests', requestId) !== undefined && draft.get('acceptances', requestId) === undefined",
        replace: "draft.get('requests', requestId) !== undefined",
      },
    ],
  },
  {
    name: 'a miss does not count',
    edits: [{ file: BOOK, find: 'makerId) + (isMiss ? 1 : 0)', replace: 'makerId)' }],
  },
  {
    name: 'a withdrawn quote stays in the book',
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
    edits: [
      {
        file: 'test/simulation/database/database.ts',
        find: 'if (known !== undefined) {',
        replace: 'if (known === -1) {',
      },
    ],
  },
]
