import Type, { type Static } from 'typebox'
import { COMMIT_PROOFS, type CommitProof } from '../domain/commit-proof.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import { MAX_FORMER_SETTLEMENTS } from '../domain/limits.ts'
import type { Address, Usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeUsd6 } from './fields.ts'
import { createReader } from './reader.ts'
import { AnyAddressText, described, Flag, nullable, oneOf, successOf, Text } from './schemas.ts'

/** Settlement environment of a relay. */
export type RelayEnvironment = {
  /** Whether trades are settled on a chain. */
  mode: 'onchain' | 'simulated'
  /** Also in simulated mode, for the domain of signatures. */
  chainId: number
  /** The contract that fills orders; in simulated mode all three are the zero address. */
  settlementAddress: Address
  /** The contract that holds collateral and pays. */
  coreAddress: Address
  /** The coin that premiums are paid in. */
  stablecoinAddress: Address
  /** By which options expire, Unix seconds; null while the chain cannot be read. */
  chainTime: number | null
  /** Terms of the faucet: `amount` per payment, micro-dollars, and `cooldownMs` for a wallet; null without one. */
  faucet: { amount: Usd6; cooldownMs: number } | null
  /** A relayer that the operator recommends; null for none. */
  relayerUrl: string | null
  /** Whether the chain is a sandbox of the relay's own, whose time may be moved and whose node pages may call. */
  sandbox: boolean
  /** Null: the relay is older than proofs, and refuses them. */
  commitProof: CommitProof | null
  /** Settlement contracts that the operator served before, so that wallets withdraw what they approved there; empty for none. */
  formerSettlementAddresses: readonly Address[]
}

export const EnvironmentAnswer = successOf({
  mode: field.mode,
  chainId: field.chainId,
  settlementAddress: field.settlementAddress,
  coreAddress: field.coreAddress,
  stablecoinAddress: described(
    AnyAddressText,
    'The coin that premiums are paid in.',
    '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
  ),
  chainTime: nullable(field.chainTime),
  faucet: nullable(
    described(
      Type.Object({ amount: field.amount, cooldownMs: field.cooldownMs }),
      'What the faucet gives; null where there is none.',
    ),
  ),
  relayerUrl: nullable(described(Text, 'A relayer that the operator recommends; null for none.', null)),
  sandbox: described(Flag, "Whether the chain is a sandbox of the relay's own.", true),
  commitProof: Type.Optional(
    described(
      oneOf(...COMMIT_PROOFS),
      "Whether a commit must show by `proof` that its wallet is its taker's, or may.",
      'optional',
    ),
  ),
  formerSettlementAddresses: Type.Optional(
    described(
      Type.Array(AnyAddressText, { maxItems: MAX_FORMER_SETTLEMENTS }),
      'Settlement contracts that the operator served before, so that wallets withdraw what they approved there.',
      ['0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'],
    ),
  ),
})

const readEnvironment = createReader(EnvironmentAnswer, 'the answer')

export const encodeEnvironment = ({
  faucet,
  commitProof,
  formerSettlementAddresses,
  ...environment
}: RelayEnvironment): Static<typeof EnvironmentAnswer> => ({
  success: true,
  ...environment,
  faucet: faucet && { ...faucet, amount: usd6ToNumber(faucet.amount) },
  ...(commitProof === null ? {} : { commitProof }),
  ...(formerSettlementAddresses.length === 0 ? {} : { formerSettlementAddresses: [...formerSettlementAddresses] }),
})

export function decodeEnvironment(answer: unknown): RelayEnvironment {
  const { success: _, faucet, commitProof, formerSettlementAddresses, ...rest } = readEnvironment(answer)
  return {
    ...(rest as typeof rest & Pick<RelayEnvironment, 'settlementAddress' | 'coreAddress' | 'stablecoinAddress'>),
    commitProof: commitProof ?? null,
    formerSettlementAddresses: (formerSettlementAddresses ?? []) as Address[],
    faucet: faucet && {
      amount: decodeUsd6(faucet.amount, 'half-up', 'faucet.amount'),
      cooldownMs: faucet.cooldownMs,
    },
  }
}
