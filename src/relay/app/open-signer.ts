import { type Backoff, withRetry } from '@rfqctl/lib/retry'
import { attestationDomain } from '@rfqctl/protocol/domain/attestation'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { zeroAddress } from 'viem'
import { connectSigner, createAskSigner } from '../adapters/signer/client.ts'
import { createQuorumSigner, type MemberStats } from '../adapters/signer/quorum.ts'
import { createSignatures } from '../adapters/signing.ts'
import type { Chain, ResolutionSigner } from '../core/ports/chain.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'

/** Longest wait for a signer process that may be starting beside this one. */
const START_MS = 30_000
const BACKOFF: Backoff = { firstMs: 100, mostMs: 1_000 }

/** System errors when nothing listens at a socket: its file is missing, or left over from a process that ended. */
const SILENT = new Set(['ENOENT', 'ECONNREFUSED'])

/** Waits milliseconds; what it rejects with ends the start. */
type Tools = { clock: Pick<Clock, 'now'>; log: Log; sleep: (ms: number) => Promise<unknown> }

export type SignerStats = () => readonly MemberStats[]

type QuorumChain = Pick<Chain, 'environment' | 'resolutionSigner' | 'quorumOf'>

/**
 * Connects to the signer processes at `sockets`: one signs alone, several sign together. Waits at most 30 s for one, or
 * for as many as the active contract needs. Fails with `signer_unavailable`, or with what `sleep` rejects with.
 */
export async function openSigners(
  sockets: readonly string[],
  { chain, ...tools }: Tools & { chain: QuorumChain },
): Promise<{ signer: ResolutionSigner; stats: SignerStats | null }> {
  const [first = '', ...others] = sockets
  return others.length === 0
    ? { signer: await openSigner(first, tools), stats: null }
    : openQuorum(sockets, chain, tools)
}

function openSigner(socket: string, { clock, log, sleep }: Tools): Promise<ResolutionSigner> {
  const until = clock.now() + START_MS
  let isAwaited = false
  const isRetryable = (fault: unknown): boolean => {
    const { cause } = fault as Error & { cause?: NodeJS.ErrnoException }
    if (!SILENT.has(cause?.code ?? '') || clock.now() >= until) return false
    if (!isAwaited) log.warn('signer_awaited', { path: socket, hint: 'start it: rfqctl signer serve' })
    isAwaited = true
    return true
  }
  return withRetry(() => connectSigner(socket), { backoff: BACKOFF, isRetryable, sleep })
}

/** Signers that the active contract does not know are for the caller to judge: none of them could become known by waiting. */
async function openQuorum(sockets: readonly string[], chain: QuorumChain, { clock, log, sleep }: Tools) {
  const { chainId, coreAddress } = chain.environment
  const address = (await chain.resolutionSigner('latest')) ?? zeroAddress
  const members = sockets.map((path) => ({ path, ask: createAskSigner(path) }))
  const opened = createQuorumSigner({ members, chain, signatures: createSignatures(), address, log })
  const until = clock.now() + START_MS
  const isOf = (fault: unknown, code: string): boolean => fault instanceof RfqError && fault.code === code
  await withRetry(() => opened.signer.probe(attestationDomain(chainId, coreAddress)), {
    backoff: BACKOFF,
    isRetryable: (fault) => isOf(fault, 'signer_unavailable') && clock.now() < until,
    sleep,
  }).catch((fault: unknown) => {
    if (!isOf(fault, 'signer_not_in_office')) throw fault
  })
  return opened
}
