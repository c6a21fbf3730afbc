import type { AnnouncedRequest } from '@rfqctl/protocol/wire/maker-stream'
import type { Offer } from './check-order.ts'

/** Open offers of a maker, by request: orders are checked against them. */
export type OfferBook = {
  /** Adds a quote before it is sent, since it may be taken before its answer arrives. */
  add: (request: AnnouncedRequest, offer: Pick<Offer, 'quote' | 'expiresAt'>) => PendingOffer
  /** Forgets the offers behind a quote that was withdrawn. */
  withdraw: (quoteId: string) => void
  /** The offers of a request that may be live, the newest first. */
  of: (requestId: string) => readonly Offer[]
  /**
   * Claims a request for one order nonce. False once it was claimed for another: two orders with one nonce can never both be filled
   * (decision C7), while two with different nonces would sell the same offer twice.
   */
  claim: (requestId: string, nonce: number) => boolean
}

/** Outcome of sending an offer. */
export type PendingOffer = {
  /** It is in force. Offers whose sending had ended before it was sent are not; one that was on its way at the same time may be. */
  accepted: (quoteId: string) => void
  /** It is not in force; earlier offers may be. */
  refused: () => void
  /** Unknown: it may be in force, until a later one is accepted. */
  lost: () => void
}

type RequestOffers = {
  forgetAt: number
  quoteId: string | null
  nonce: number | null
  offers: readonly Offer[]
  /** Offers that are on their way. */
  sending: ReadonlySet<Offer>
}

/** Longer than any confirmation that was running when its request expired (decision C6), milliseconds. */
const KEPT_MS = 120_000

/** An empty book of offers. `now` is Unix milliseconds. */
export function createOfferBook(now: () => number): OfferBook {
  const books = new Map<string, RequestOffers>()

  function forgetEnded(): void {
    for (const [requestId, { forgetAt }] of books) if (forgetAt < now()) books.delete(requestId)
  }

  function change(requestId: string, next: (book: RequestOffers) => Partial<RequestOffers>): void {
    const book = books.get(requestId)
    if (book !== undefined) books.set(requestId, { ...book, ...next(book) })
  }

  return {
    add: ({ requestId, expiresAt, terms }, { quote, expiresAt: offerEnds }) => {
      forgetEnded()
      const offer: Offer = { terms, quote, expiresAt: offerEnds }
      const book = books.get(requestId) ?? {
        forgetAt: expiresAt + KEPT_MS,
        quoteId: null,
        nonce: null,
        offers: [],
        sending: new Set(),
      }
      const replaced = book.offers.filter((other) => !book.sending.has(other))
      books.set(requestId, { ...book, offers: [offer, ...book.offers], sending: new Set([...book.sending, offer]) })
      const end = (gone: readonly Offer[], quoteId: string | null) =>
        change(requestId, (current) => ({
          quoteId: quoteId ?? current.quoteId,
          offers: current.offers.filter((other) => !gone.includes(other)),
          sending: new Set([...current.sending].filter((other) => other !== offer)),
        }))
      return {
        accepted: (quoteId) => end(replaced, quoteId),
        refused: () => end([offer], null),
        lost: () => end([], null),
      }
    },
    withdraw: (quoteId) => {
      for (const [requestId, book] of books) if (book.quoteId === quoteId) change(requestId, () => ({ offers: [] }))
    },
    of: (requestId) => books.get(requestId)?.offers ?? [],
    claim: (requestId, nonce) => {
      const claimed = books.get(requestId)?.nonce ?? nonce
      change(requestId, () => ({ nonce: claimed }))
      return claimed === nonce
    },
  }
}
