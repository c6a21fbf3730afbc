import type { AnnouncedRequest } from '@rfqctl/protocol/wire/maker-stream'
import type { Offer } from './check-order.ts'

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

/** An empty book of a maker's open offers, by request: orders are checked against them. `now` is Unix milliseconds. */
export function createOfferBook(now: () => number) {
  const books = new Map<string, RequestOffers>()

  function forgetEnded(): void {
    for (const [requestId, { forgetAt }] of books) if (forgetAt < now()) books.delete(requestId)
  }

  function change(requestId: string, next: (book: RequestOffers) => Partial<RequestOffers>): void {
    const book = books.get(requestId)
    if (book !== undefined) books.set(requestId, { ...book, ...next(book) })
  }

  return {
    /** Adds a quote before it is sent, since it may be taken before its answer arrives; returns what ends its sending. */
    add: ({ requestId, expiresAt, terms }: AnnouncedRequest, sent: Pick<Offer, 'quote' | 'expiresAt'>) => {
      forgetEnded()
      const offer: Offer = { terms, quote: sent.quote, expiresAt: sent.expiresAt }
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
        /** It is in force. Offers whose sending had ended before it was sent are not; one that was on its way at the same time may be. */
        accepted: (quoteId: string) => end(replaced, quoteId),
        /** It is not in force; earlier offers may be. */
        refused: () => end([offer], null),
        /** Unknown: it may be in force, until a later one is accepted. */
        lost: () => end([], null),
      }
    },
    /** Forgets the offers behind a quote that was withdrawn. */
    withdraw: (quoteId: string): void => {
      for (const [requestId, book] of books) if (book.quoteId === quoteId) change(requestId, () => ({ offers: [] }))
    },
    /** The offers of a request that may be live, the newest first. */
    of: (requestId: string): readonly Offer[] => books.get(requestId)?.offers ?? [],
    /**
     * Claims a request for one order nonce. False once it was claimed for another: two orders with one nonce can never both be filled
     * (decision C7), while two with different nonces would sell the same offer twice.
     */
    claim: (requestId: string, nonce: number): boolean => {
      const claimed = books.get(requestId)?.nonce ?? nonce
      change(requestId, () => ({ nonce: claimed }))
      return claimed === nonce
    },
  }
}
