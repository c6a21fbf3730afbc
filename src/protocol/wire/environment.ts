import type { Static } from 'typebox'
import * as Type from 'typebox'
import { PRIVATE_FIELDS } from '../domain/audience.ts'
import { COMMIT_PROOFS, type CommitProof } from '../domain/commit-proof.ts'
import { usd6ToNumber } from '../domain/decimal.ts'
import { EXPLORER_URL } from '../domain/explorer.ts'
import { MAX_FORMER_SETTLEMENTS } from '../domain/limits.ts'
import { MAX_PARTNER_BPS, type PartnerFee } from '../domain/partner-fee.ts'
import type { Address, Usd6 } from '../domain/units.ts'
import * as field from './field.ts'
import { decodeAddress, decodeUsd6 } from './fields.ts'
import { createReader } from './reader.ts'
import { AddressText, AnyAddressText, described, Flag, nullable, oneOf, successOf, Text } from './schemas.ts'

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
  /** A share of the premium that the operator's pages have a taker pay; null for none. */
  partnerFee: PartnerFee | null
  /** Whether the chain is a sandbox of the relay's own, whose time may be moved and whose node pages may call. */
  sandbox: boolean
  /** Null: the relay is older than proofs, and refuses them. */
  commitProof: CommitProof | null
  /** Settlement contracts that the operator served before, so that wallets withdraw what they approved there; empty for none. */
  formerSettlementAddresses: readonly Address[]
  /**
   * Keys that sign the checkpoints of its transparency log, as C2SP's signed-note writes them, the newest first; none: the relay is
   * older than the log.
   */
  logKeys: readonly string[]
  /** A block explorer of the chain, without a slash at its end; null for none. */
  explorerUrl: string | null
  /** Fields of an opening that the relay keeps makers from seeing, or seeing the request: one that is older ignores them. */
  privateFields: readonly string[]
  /** Whether requests may ask for both sides; false: the relay is older than them, and refuses them. */
  twoSided: boolean
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
  partnerFee: Type.Optional(
    described(
      Type.Object({
        recipient: described(AddressText, 'The wallet that gets it.'),
        bps: described(
          Type.Integer({ minimum: 1, maximum: MAX_PARTNER_BPS, must: `an integer 1..${MAX_PARTNER_BPS}` }),
          'Basis points of the premium.',
          25,
        ),
      }),
      "A share of the premium that a taker pays on the operator's own pages; absent where there is none.",
    ),
  ),
  logKeys: Type.Optional(
    described(Type.Array(Text), 'Verifier keys of the transparency log (C2SP signed-note), the newest first.', [
      'rfqctl.log/1f0c+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    ]),
  ),
  explorerUrl: Type.Optional(
    described(
      Type.String({ pattern: EXPLORER_URL.source, must: 'an address of an explorer, https only' }),
      'A block explorer of the chain: `/tx/` and `/address/` follow it (EIP-3091). Absent where there is none.',
      'https://polygonscan.com',
    ),
  ),
  privateFields: Type.Optional(
    described(
      Type.Array(Text),
      'Fields of an opening that keep something from makers, and that the relay knows: an older one ignores them, and so would show the request to all.',
      [...PRIVATE_FIELDS],
    ),
  ),
  twoSided: Type.Optional(
    described(Flag, 'Whether requests may ask for both sides: an older relay refuses them.', true),
  ),
})

const readEnvironment = createReader(EnvironmentAnswer, 'the answer')

export const encodeEnvironment = ({
  faucet,
  commitProof,
  formerSettlementAddresses,
  partnerFee,
  logKeys,
  explorerUrl,
  privateFields,
  ...environment
}: RelayEnvironment): Static<typeof EnvironmentAnswer> => ({
  success: true,
  ...environment,
  faucet: faucet && { ...faucet, amount: usd6ToNumber(faucet.amount) },
  ...(commitProof === null ? {} : { commitProof }),
  ...(formerSettlementAddresses.length === 0 ? {} : { formerSettlementAddresses: [...formerSettlementAddresses] }),
  ...(partnerFee === null ? {} : { partnerFee }),
  ...(logKeys.length === 0 ? {} : { logKeys: [...logKeys] }),
  ...(explorerUrl === null ? {} : { explorerUrl }),
  privateFields: [...privateFields],
})

export function decodeEnvironment(answer: unknown): RelayEnvironment {
  const {
    success: _,
    faucet,
    commitProof,
    formerSettlementAddresses,
    partnerFee,
    logKeys,
    explorerUrl,
    privateFields,
    twoSided,
    ...rest
  } = readEnvironment(answer)
  return {
    ...(rest as typeof rest & Pick<RelayEnvironment, 'settlementAddress' | 'coreAddress' | 'stablecoinAddress'>),
    commitProof: commitProof ?? null,
    formerSettlementAddresses: (formerSettlementAddresses ?? []) as Address[],
    partnerFee:
      partnerFee === undefined
        ? null
        : { ...partnerFee, recipient: decodeAddress(partnerFee.recipient, 'partnerFee.recipient') },
    logKeys: logKeys ?? [],
    explorerUrl: explorerUrl ?? null,
    privateFields: privateFields ?? [],
    twoSided: twoSided ?? false,
    faucet: faucet && {
      amount: decodeUsd6(faucet.amount, 'half-up', 'faucet.amount'),
      cooldownMs: faucet.cooldownMs,
    },
  }
}
