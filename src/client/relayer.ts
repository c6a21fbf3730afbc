import { type Clock, pause, systemClock } from '@rfqctl/lib/clock'
import type { GaslessFill, RelayerTerms } from '@rfqctl/protocol/domain/gasless-fill'
import type { Hex } from '@rfqctl/protocol/domain/units'
import { encodeGaslessFill } from '@rfqctl/protocol/wire/gasless-fill'
import { decodeRelayedFill, decodeRelayerTerms, type RelayedFill } from '@rfqctl/protocol/wire/relayer'
import { type CallOptions, createHttp } from './http.ts'

/** Options of a client of a relayer. */
export type RelayerOptions = {
  /** The relayer's HTTP address. */
  url: string
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /** Replacement for the machine's clock. */
  clock?: Clock
}

/**
 * Client of a relayer, which fills orders for takers who have no coin for gas. A relayer can charge no more than the taker signed, and
 * fill nothing else. Besides the errors named, every call rejects with `RelayError`, with `RelayUnreachableError`, or with the reason of
 * its signal.
 */
export type RelayerClient = {
  /**
   * Reads the relayer's fee, and whether it accepts fills.
   * @param options - May carry a signal.
   * @returns Its terms: a fill authorization names their `feeRecipient`, and at least their `fee`.
   * @throws RelayError `chain_unavailable`.
   * @example
   * import { formatUsd6 } from 'rfqctl/client'
   *
   * const { fee, feeRecipient, isAccepting } = await relayer.getTerms()
   * if (isAccepting) console.log(`$${formatUsd6(fee)} to ${feeRecipient}`)
   */
  getTerms: (options?: CallOptions) => Promise<RelayerTerms>
  /**
   * Submits an order to be filled. It may be submitted again, as often as needed: an order is filled once.
   * @param input.fill - The order, with what its maker and its taker signed.
   * @returns The state of the fill: mostly `sent`, or `filled` where the order is filled already.
   * @throws RelayError `fill_refused`, `fill_too_late`, `fee_too_low`, `authorization_mismatch`, `fill_too_expensive`,
   * `fill_in_progress`, `relayer_unavailable`, `too_many_requests`, `chain_unavailable`.
   * @example const { orderHash, status } = await relayer.submitFill({ fill })
   */
  submitFill: (input: { fill: GaslessFill } & CallOptions) => Promise<RelayedFill>
  /**
   * Reads the state of a fill.
   * @param input.orderHash - The hash that `submitFill` returned.
   * @returns The state of the fill.
   * @throws RelayError `fill_not_found` where the relayer does not know it, as after a restart: submit it again.
   * @example const { status, transactionHash } = await relayer.getFill({ orderHash })
   */
  getFill: (input: { orderHash: Hex } & CallOptions) => Promise<RelayedFill>
  /**
   * Submits an order to be filled, and waits until it is filled or has failed.
   * @param input.fill - The order, with what its maker and its taker signed.
   * @returns The end of the fill: `filled` or `failed`.
   * @throws RelayError as `fill_refused`, `relayer_unavailable` and all others of a submission; `fill_not_found` where the relayer was
   * restarted meanwhile: submit it again.
   * @example
   * const { status, transactionHash, reason } = await relayer.submitFillUntilMined({ fill })
   * console.log(status === 'filled' ? transactionHash : reason)
   */
  submitFillUntilMined: (input: { fill: GaslessFill } & CallOptions) => Promise<RelayedFill>
}

/** A relayer answers a submission only after it has simulated and sent the fill. */
const SUBMIT_TIMEOUT_MS = 30_000

/** Milliseconds between two reads of a fill that is on its way. */
const POLL_MS = 1_000

/**
 * Makes a client of a relayer. Nothing is sent until it is called.
 * @param options - The relayer's address.
 * @returns The client.
 * @example
 * import { createRelayerClient } from 'rfqctl/client'
 *
 * const relayer = createRelayerClient({ url: 'http://127.0.0.1:8788' })
 */
export function createRelayerClient({ url, fetch, clock = systemClock }: RelayerOptions): RelayerClient {
  const http = createHttp({ url, server: 'relayer', clock, ...(fetch === undefined ? {} : { fetch }) })

  const submitFill: RelayerClient['submitFill'] = ({ fill, signal }) =>
    http.call('POST', '/v1/fills', {
      signal,
      body: encodeGaslessFill(fill),
      decode: decodeRelayedFill,
      timeoutMs: SUBMIT_TIMEOUT_MS,
    })

  const getFill: RelayerClient['getFill'] = ({ orderHash, signal }) =>
    http.call('GET', `/v1/fills/${encodeURIComponent(orderHash)}`, { signal, decode: decodeRelayedFill })

  return {
    getTerms: ({ signal } = {}) => http.call('GET', '/v1/relayer', { signal, decode: decodeRelayerTerms }),
    submitFill,
    getFill,
    submitFillUntilMined: async ({ fill, signal }) => {
      let standing = await submitFill({ fill, signal })
      while (standing.status === 'queued' || standing.status === 'sent') {
        await pause(POLL_MS, { clock, signal })
        standing = await getFill({ orderHash: standing.orderHash, signal })
      }
      return standing
    },
  }
}
