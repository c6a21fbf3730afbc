import type { Address, Hex } from '../../../src/protocol/domain/units.ts'

/** Makers of the venue. The first two quote from one wallet that cannot pay for everything. */
export const MAKERS = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gil', 'hal'] as const
export type MakerName = (typeof MAKERS)[number]

/** The wallet of the first two makers, which has little money and some options. */
export const SHARED_WALLET: Address = `0x${'a1'.padStart(40, '0')}`

/** Makers that receive packages. */
export const TAKES_PACKAGES: readonly MakerName[] = ['ada', 'cyd', 'eve', 'gil']

/** Makers that receive requests for both sides. */
export const TAKES_TWO_SIDED: readonly MakerName[] = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay']

const ORDINALS = new Map(MAKERS.map((maker, i) => [maker, i]))

/** Wallets are numbers, and signatures name their signer and what is signed, so that no run waits for a curve. */
export const walletOf = (maker: MakerName): Address =>
  maker === 'ada' || maker === 'bob'
    ? SHARED_WALLET
    : `0x${(0xa1 + (ORDINALS.get(maker) ?? 0)).toString(16).padStart(40, '0')}`

/** A wallet of a taker, by its number. */
export const takerWallet = (taker: number): Address => `0x${(0xf001 + taker).toString(16).padStart(40, '0')}`

/** The digits of a digest that a signature has. */
const DIGEST_DIGITS = 32

/** A signature of a wallet over a digest; `attempt` makes each one another, so that it can be looked for. */
export const signatureOf = (wallet: Address, digest: Hex, attempt: number): Hex => {
  const r = wallet.slice(2).padStart(64, '0')
  const s = `00${digest.slice(2, 2 + DIGEST_DIGITS)}${attempt.toString(16).padStart(30, '0')}`
  return `0x${r}${s}1b`
}

/** Who signed a digest; null where the signature is over something else. */
export const recoverSigner = (digest: Hex, signature: Hex): Address | null =>
  signature.slice(68, 68 + DIGEST_DIGITS) === digest.slice(2, 2 + DIGEST_DIGITS) ? `0x${signature.slice(26, 66)}` : null
