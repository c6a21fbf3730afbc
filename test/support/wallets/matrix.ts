/** A kind of wallet: how the page names it, and what it is on the chain. */
type WalletRow = { title: string; what: string }

export const WALLETS = {
  eoa: { title: 'A key (EOA)', what: 'a key of MetaMask, Rabby, a Ledger, or a file' },
  simple7702: {
    title: 'A key with code, Simple7702Account',
    what: 'EIP-7702; `Simple7702Account` of ERC-4337, version 0.8',
  },
  metaMask7702: {
    title: 'A key with code, MetaMask smart account',
    what: 'EIP-7702; `EIP7702StatelessDeleGator` of MetaMask',
  },
  safeOfOne: { title: 'Safe, one owner', what: 'Safe 1.4.1 with its `CompatibilityFallbackHandler`' },
  safe: { title: 'Safe, 2 of 3 owners', what: 'the same, with a threshold of two' },
  hybrid: { title: 'MetaMask smart contract account', what: '`HybridDeleGator` of MetaMask, ERC-4337' },
  simple: {
    title: 'SimpleAccount',
    what: '`SimpleAccount` of ERC-4337, version 0.8: it checks no signatures (ERC-1271)',
  },
} as const satisfies Record<string, WalletRow>
export type WalletId = keyof typeof WALLETS

/** Why a cell of the page says no, as its footnote. */
export const REASONS = {
  'no-1271':
    'The wallet has no key of its own and does not check signatures (ERC-1271), so that nothing it signs counts. A key that it authorises can sign its orders as a maker.',
  'one-signature':
    'The signature has more than 65 bytes, and the contract passes on 65. Approve instead, in one batch with the fill; our client approves by itself.',
  'keys-only': 'This coin takes permits of keys only, as the usual library writes it.',
  'orders-carry-no-payment':
    'A maker signs the order and nothing beside it, and is not there when it is filled: its money moves by an allowance that is there.',
} as const
export type ReasonId = keyof typeof REASONS

/** A cell: it works, or why not, with the error that the chain gives. */
export type Cell = 'works' | { no: ReasonId; error: string }

const no = (reason: ReasonId, error: string): Cell => ({ no: reason, error })

/** How a maker's money moves, or who signs for it. */
export const MAKER_WAYS = {
  approve: { title: 'approve', coin: 'USDC' },
  permit: { title: 'EIP-2612, USDC', coin: 'USDC' },
  keyPermit: { title: 'EIP-2612, keys only', coin: 'TestUSD' },
  authorization: { title: 'EIP-3009', coin: 'USDC' },
  permit2: { title: 'Permit2', coin: 'USDC' },
  delegated: { title: 'signed by an authorised key', coin: 'USDC' },
} as const
export type MakerWay = keyof typeof MAKER_WAYS

/** How a taker pays. */
export const TAKER_WAYS = {
  allowance: { title: 'approve', coin: 'USDC', method: 'allowance' },
  permit: { title: 'EIP-2612, USDC', coin: 'USDC', method: 'permit' },
  keyPermit: { title: 'EIP-2612, keys only', coin: 'TestUSD', method: 'permit' },
  authorization: { title: 'EIP-3009', coin: 'USDC', method: 'authorization' },
  permit2: { title: 'Permit2', coin: 'USDC', method: 'permit2' },
} as const
export type TakerWay = keyof typeof TAKER_WAYS

const NO_ALLOWANCE = 'ERC20: transfer amount exceeds allowance'
const UNPAID = 'ERC20InsufficientAllowance'

const WORKS: Record<TakerWay, Cell> = {
  allowance: 'works',
  permit: 'works',
  keyPermit: 'works',
  authorization: 'works',
  permit2: 'works',
}
/** A contract whose signature is one of a key: all but a coin that knows keys alone. */
const ONE_KEY: Record<TakerWay, Cell> = { ...WORKS, keyPermit: no('keys-only', UNPAID) }
const SEVERAL_KEYS: Record<TakerWay, Cell> = {
  ...ONE_KEY,
  permit: no('one-signature', NO_ALLOWANCE),
  authorization: no('one-signature', 'FiatTokenV2: invalid signature'),
}

/** What a taker that fills its order itself can pay with. */
export const TAKERS: Record<WalletId, Record<TakerWay, Cell>> = {
  eoa: WORKS,
  simple7702: WORKS,
  metaMask7702: WORKS,
  safeOfOne: ONE_KEY,
  safe: SEVERAL_KEYS,
  hybrid: ONE_KEY,
  simple: {
    allowance: 'works',
    permit: no('no-1271', NO_ALLOWANCE),
    keyPermit: no('no-1271', UNPAID),
    authorization: no('no-1271', 'FiatTokenV2: invalid signature'),
    permit2: no('no-1271', 'it reverts without a reason'),
  },
}

const UNAUTHORIZED = no('no-1271', 'FillAuthorizationInvalid')

/** What a taker whose order someone else submits can pay with. */
export const GASLESS_TAKERS: Record<WalletId, Record<TakerWay, Cell>> = {
  ...TAKERS,
  simple: {
    allowance: UNAUTHORIZED,
    permit: UNAUTHORIZED,
    keyPermit: UNAUTHORIZED,
    authorization: UNAUTHORIZED,
    permit2: UNAUTHORIZED,
  },
}

const KEY_MAKER: Record<MakerWay, Cell> = {
  approve: 'works',
  permit: 'works',
  keyPermit: 'works',
  authorization: no('orders-carry-no-payment', NO_ALLOWANCE),
  permit2: no('orders-carry-no-payment', NO_ALLOWANCE),
  delegated: 'works',
}
/** Anyone can take a maker's permit to the coin, and Circle's takes signatures of any length: several keys do no harm here. */
const CONTRACT_MAKER: Record<MakerWay, Cell> = { ...KEY_MAKER, keyPermit: no('keys-only', 'ERC2612InvalidSigner') }

/** How a maker can be paid from, with its own signature on the order unless the column says otherwise. */
export const MAKERS: Record<WalletId, Record<MakerWay, Cell>> = {
  eoa: KEY_MAKER,
  simple7702: KEY_MAKER,
  metaMask7702: KEY_MAKER,
  safeOfOne: CONTRACT_MAKER,
  safe: CONTRACT_MAKER,
  hybrid: CONTRACT_MAKER,
  simple: {
    ...CONTRACT_MAKER,
    approve: no('no-1271', 'SignatureInvalid'),
    permit: no('no-1271', 'EIP2612: invalid signature'),
    keyPermit: no('no-1271', 'ERC2612InvalidSigner'),
    authorization: no('no-1271', 'SignatureInvalid'),
    permit2: no('no-1271', 'SignatureInvalid'),
  },
}
