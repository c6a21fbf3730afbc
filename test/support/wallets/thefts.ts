import { type Hex, hashTypedData, maxUint256, parseAbi, parseSignature } from 'viem'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import { ALLOWANCE_PAYMENT, type Payment } from '../../../src/protocol/domain/gasless-fill.ts'
import { contractOrder, type Order } from '../../../src/protocol/domain/order.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import type { makeKeyWallet } from './key-wallet.ts'
import { type Due, LATER, PERMIT2, payBy, permit2Digest, signPermit } from './payments.ts'
import { authorizeFill, digestOf, fillCall, fillForCall, fillWithPaymentCall, orderOf } from './trade.ts'
import { type Call, call, signDigest, type TestWallet } from './wallet.ts'
import type { Market, WalletWorld } from './world.ts'

/** A maker whose wallet approved everything, and a thief that has the key that signs its orders. */
export type TheftScene = {
  world: WalletWorld
  market: Market
  cold: TestWallet
  /** A wallet that the thief is in league with. */
  accomplice: TestWallet
  thief: Awaited<ReturnType<typeof makeKeyWallet>>
  /** An order of the cold wallet that is not filled yet. */
  openOrder: Order
}

/** What a thief does, signs or pretends, by the function of a contract that it calls. */
export type Thefts = Readonly<Record<string, (scene: TheftScene) => Promise<readonly Call[]>>>

/** The call that lets an accomplice sign for whoever makes it. */
const authorizeAccomplice = async ({ world, market, accomplice }: TheftScene): Promise<Call> => {
  const until = BigInt(await readChainTime(world.dev)) + 300_000n
  return settlement(market, 'authorizeSigner', [accomplice.address, until])
}

const settlement = ({ deployment }: Market, functionName: string, args: readonly unknown[]) =>
  call(deployment.settlementAddress, serviceRfqSettlementAbi, functionName, args)
const core = ({ deployment }: Market, functionName: string, args: readonly unknown[]) =>
  call(deployment.coreAddress, serviceCoreAbi, functionName, args)
const idOf = ({ seriesId }: Market) => BigInt(seriesId)

/** An order that the accomplice signed as a maker, for the cold wallet to fill at its cost. */
async function orderForCold({ market, cold, accomplice }: TheftScene) {
  const order = orderOf(market, { maker: accomplice.address, taker: cold.address, makerSelling: true })
  return { order, makerSignature: await accomplice.signHash(digestOf(market, order)) }
}

/** The cold wallet by its address, and the thief by its signature. */
const impostorOf = ({ cold, thief }: TheftScene): TestWallet => ({
  address: cold.address,
  signHash: thief.signHash,
  send: async () => '0x',
})

const dueTo = (scene: TheftScene, spender: Address): Due => ({
  market: scene.market,
  wallet: impostorOf(scene),
  spender,
  due: 1_250_000n,
})

/** Payments that the stolen key signed in the name of the cold wallet, and the one that needs no signature. */
async function stolenPayments(scene: TheftScene): Promise<Payment[]> {
  const due = dueTo(scene, scene.market.deployment.settlementAddress)
  const methods = ['permit', 'authorization', 'permit2'] as const
  const signed = methods.map((method) => payBy(scene.world.dev, method, due))
  return [ALLOWANCE_PAYMENT, ...(await Promise.all(signed))]
}

/** By the functions of the settlement. */
export const SETTLEMENT_THEFTS: Thefts = {
  authorizeSigner: async (scene) => [await authorizeAccomplice(scene)],
  revokeSigner: async ({ market, accomplice }) => [settlement(market, 'revokeSigner', [accomplice.address])],
  revokeAllSigners: async ({ market }) => [settlement(market, 'revokeAllSigners', [])],
  cancelNonce: async ({ market, openOrder }) => [settlement(market, 'cancelNonce', [openOrder.nonce])],
  cancelNonces: async ({ market }) => [settlement(market, 'cancelNonces', [0n, maxUint256])],
  cancelNonceRange: async ({ market }) => [settlement(market, 'cancelNonceRange', [0n, 1_000n])],
  fill: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    return [fillCall(scene.market, order, makerSignature)]
  },
  fillWithPermit: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    const due = dueTo(scene, scene.market.deployment.settlementAddress)
    const { r, s, yParity } = parseSignature(await signPermit(scene.world.dev, due))
    const permit = { value: due.due, deadline: BigInt(LATER), v: 27 + yParity, r, s }
    return [settlement(scene.market, 'fillWithPermit', [contractOrder(order), makerSignature, permit])]
  },
  fillWithPayment: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    const payments = await stolenPayments(scene)
    return payments.map((payment) => fillWithPaymentCall(scene.market, order, makerSignature, payment))
  },
  fillFor: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    const authorized = await authorizeFill(scene.market, order, impostorOf(scene))
    const payments = await stolenPayments(scene)
    return payments.map((payment) => fillForCall(scene.market, order, { makerSignature, payment, ...authorized }))
  },
  fillFromInventory: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    const args = [contractOrder(order), makerSignature, 0n, 0n, scene.thief.address, 500]
    return [settlement(scene.market, 'fillFromInventory', args)]
  },
  // The thief would be the partner that the cold wallet pays.
  fillWithPartnerFee: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    const args = [contractOrder(order), makerSignature, scene.thief.address, 500]
    return [settlement(scene.market, 'fillWithPartnerFee', args)]
  },
  fillBatch: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    return [settlement(scene.market, 'fillBatch', [[contractOrder(order)], [makerSignature]])]
  },
  // It does not revert: it fills none of them.
  fillMany: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    return [settlement(scene.market, 'fillMany', [[contractOrder(order)], [makerSignature]])]
  },
  fillOne: async (scene) => {
    const { order, makerSignature } = await orderForCold(scene)
    return [settlement(scene.market, 'fillOne', [contractOrder(order), makerSignature, scene.cold.address])]
  },
}

/** By the functions of the core that move options and collateral. */
export const CORE_THEFTS: Thefts = {
  // The cold wallet would take over what the thief owes.
  moveShort: async ({ world, market, cold, thief }) => {
    const read = { address: market.deployment.coreAddress, abi: serviceCoreAbi } as const
    const deadline = BigInt(LATER)
    const nonce = await world.dev.readContract({ ...read, functionName: 'nonces', args: [cold.address] })
    const digest = await world.dev.readContract({
      ...read,
      functionName: 'hashShortTransfer',
      args: [thief.address, cold.address, idOf(market), 5n, nonce, deadline],
    })
    return [core(market, 'moveShort', [cold.address, idOf(market), 5n, deadline, await signDigest(thief.key, digest)])]
  },
  safeTransferFrom: async ({ market, cold, thief }) => [
    core(market, 'safeTransferFrom', [cold.address, thief.address, idOf(market), 1n, '0x']),
  ],
  safeBatchTransferFrom: async ({ market, cold, thief }) => [
    core(market, 'safeBatchTransferFrom', [cold.address, thief.address, [idOf(market)], [1n], '0x']),
  ],
  setApprovalForAll: async ({ market, accomplice }) => [core(market, 'setApprovalForAll', [accomplice.address, true])],
  useNonce: async ({ market }) => [core(market, 'useNonce', [])],
  closePosition: async ({ market, thief }) => [core(market, 'closePosition', [idOf(market), 1n, thief.address])],
  closeFor: async ({ market, cold }) => [core(market, 'closeFor', [idOf(market), cold.address, 1n])],
  openPositionPaidBy: async ({ market, cold, thief }) => [
    core(market, 'openPositionPaidBy', [cold.address, cold.address, thief.address, idOf(market), 1n]),
    core(market, 'openPositionPaidBy', [cold.address, thief.address, thief.address, idOf(market), 1n]),
  ],
  sellLongs: async ({ market, cold, thief }) => [
    core(market, 'sellLongs', [cold.address, thief.address, idOf(market), 1n]),
  ],
}

/** By those that pay once the series is settled, to their caller and from what that has. */
export const CLAIM_THEFTS: Thefts = {
  claimHolderPayout: async ({ market }) => [core(market, 'claimHolderPayout', [idOf(market), 20n])],
  claimHolderPayoutTo: async ({ market, thief }) => [
    core(market, 'claimHolderPayoutTo', [idOf(market), 20n, thief.address]),
  ],
  claimWriterCollateral: async ({ market }) => [core(market, 'claimWriterCollateral', [idOf(market)])],
  claimWriterCollateralTo: async ({ market, thief }) => [
    core(market, 'claimWriterCollateralTo', [idOf(market), thief.address]),
  ],
  claimMany: async ({ market, thief }) => [core(market, 'claimMany', [[idOf(market)], thief.address])],
}

const COIN_ABI = parseAbi([
  'function transferFrom(address from, address to, uint256 value)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])
const NONCE: Hex = `0x${'77'.repeat(32)}`
const AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
]
const CANCEL_AUTHORIZATION = [
  { name: 'authorizer', type: 'address' },
  { name: 'nonce', type: 'bytes32' },
]

const coin = ({ deployment }: Market, functionName: string, args: readonly unknown[]) =>
  call(deployment.stablecoinAddress, COIN_ABI, functionName, args)

/** An EIP-3009 transfer of the cold wallet's dollars to the thief, which the stolen key signed. */
async function authorizationBy({ market, cold, thief }: TheftScene, primaryType: string) {
  const terms = {
    from: cold.address,
    to: thief.address,
    value: 1_000n,
    validAfter: 0n,
    validBefore: LATER,
    nonce: NONCE,
  }
  const types = { [primaryType]: AUTHORIZATION }
  const digest = hashTypedData({ domain: market.domain, types, primaryType, message: terms })
  return [...Object.values(terms), await signDigest(thief.key, digest)]
}

/** By the functions of the coin. */
export const COIN_THEFTS: Thefts = {
  transferFrom: async ({ market, cold, thief }) => [coin(market, 'transferFrom', [cold.address, thief.address, 1n])],
  permit: async (scene) => {
    const due = dueTo(scene, scene.thief.address)
    const terms = [due.wallet.address, due.spender, due.due, LATER]
    return [coin(scene.market, 'permit', [...terms, await signPermit(scene.world.dev, due)])]
  },
  transferWithAuthorization: async (scene) => [
    coin(scene.market, 'transferWithAuthorization', await authorizationBy(scene, 'TransferWithAuthorization')),
  ],
  receiveWithAuthorization: async (scene) => [
    coin(scene.market, 'receiveWithAuthorization', await authorizationBy(scene, 'ReceiveWithAuthorization')),
  ],
  cancelAuthorization: async ({ market, cold, thief }) => {
    const types = { CancelAuthorization: CANCEL_AUTHORIZATION }
    const message = { authorizer: cold.address, nonce: NONCE }
    const digest = hashTypedData({ domain: market.domain, types, primaryType: 'CancelAuthorization', message })
    return [coin(market, 'cancelAuthorization', [cold.address, NONCE, await signDigest(thief.key, digest)])]
  },
}

const PERMIT2_ABI = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
  'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails details, address owner, bytes signature)',
  'function transferFrom(address from, address to, uint160 amount, address token)',
])

/** By the functions of Permit2, which the cold wallet has approved. */
export const PERMIT2_THEFTS: Thefts = {
  permitTransferFrom: async ({ market, cold, thief }) => {
    const permitted = { token: market.deployment.stablecoinAddress, amount: 1_000n }
    const digest = permit2Digest(market, { ...permitted, spender: thief.address, nonce: 5n })
    const details = { to: thief.address, requestedAmount: 1_000n }
    const permit = { permitted, nonce: 5n, deadline: LATER }
    const args = [permit, details, cold.address, await signDigest(thief.key, digest)]
    return [call(PERMIT2, PERMIT2_ABI, 'permitTransferFrom', args)]
  },
  transferFrom: async ({ market, cold, thief }) => [
    call(PERMIT2, PERMIT2_ABI, 'transferFrom', [cold.address, thief.address, 1n, market.deployment.stablecoinAddress]),
  ],
}
