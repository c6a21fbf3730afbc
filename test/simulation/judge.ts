import { type Order, orderDigest, orderDomain } from '../../src/protocol/domain/order.ts'
import type { Address, Hex } from '../../src/protocol/domain/units.ts'
import { contracts, usd6 } from '../../src/protocol/domain/units.ts'
import { checkInvariants } from '../invariants/checker.ts'
import type { Coverage, Invariant, Violation } from '../invariants/invariants.ts'
import type { RecoverSigner } from '../invariants/orders.ts'
import { recoverSigner } from './venue/identities.ts'
import type { Finding, Recorder } from './venue/recorder.ts'

export type { Finding }

/** Calls are observed as their callers see them: what is on its way is not held against anyone. */
const COVERAGE: Coverage = { lagMs: 400, takeoverMs: 10_000, clockErrorMs: 500, isOrdered: true, unseen: {} }

/** Invariants that hold whatever was restored. */
const THROUGHOUT: readonly Invariant[] = ['V6', 'V15']

/** What a run breaks: the invariants by the one library, stretch by stretch between restores, and what was found on the way. */
export function judge({ segments, throughout, findings }: Recorder): Finding[] {
  const found: Violation[] = []
  segments.forEach((observations, i) => {
    const violations = checkInvariants({
      coverage: COVERAGE,
      isComplete: i === segments.length - 1,
      recover,
      observations,
    })
    found.push(...violations.filter((one) => !THROUGHOUT.includes(one.invariant) && !isUnheard(one)))
  })
  const whole = checkInvariants({ coverage: COVERAGE, recover, observations: throughout })
  found.push(...whole.filter(({ invariant }) => THROUGHOUT.includes(invariant)))
  return [...findings, ...found.map(({ invariant, requestId, sentence }) => ({ rule: invariant, requestId, sentence }))]
}

/** A node to which no message comes takes quotes of a suspended maker until it reads the store; no commit asks for them. */
const isUnheard = ({ sentence }: Violation): boolean =>
  /^a quote of \w+ was taken while it was suspended$/.test(sentence)

/** Who signed an order, by the signatures of the venue. */
const recover: RecoverSigner = ({ order, domain, signature }) => {
  const { chainId, verifyingContract } = domain
  const signed: Order = {
    ...order,
    maker: order.maker as Address,
    taker: order.taker as Address,
    optionAmount: contracts(BigInt(order.optionAmount)),
    premiumAmount: usd6(BigInt(order.premiumAmount)),
  }
  const digest = orderDigest(signed, orderDomain(chainId, verifyingContract as Address))
  return String(recoverSigner(digest, signature as Hex))
}
