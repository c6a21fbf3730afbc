import { type Hex, maxUint256, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChainTime } from '../../../src/onchain/devnet/warp.ts'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import type { Order } from '../../../src/protocol/domain/order.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import {
  type DelegatedWallet,
  makeDelegatedWallet,
  makeKeyWallet,
  simpleBatch,
} from '../../support/wallets/key-wallet.ts'
import { approve, PERMIT2, payBy } from '../../support/wallets/payments.ts'
import { makeSafe, SAFE_ABI, type SafeWallet } from '../../support/wallets/safe.ts'
import {
  digestOf,
  duesOf,
  fillCall,
  fillWithPaymentCall,
  holdingsOf,
  orderOf,
  refusalOf,
} from '../../support/wallets/trade.ts'
import { call, signDigest, type TestWallet } from '../../support/wallets/wallet.ts'
import { type Market, startWalletWorld, type WalletWorld } from '../../support/wallets/world.ts'

/** Wallets that change between the signature of an order and its fill. */

const START = 1_000_000_000n
/** Code that says yes to every signature, whoever made it. */
const SAYS_YES: Hex = '0x631626ba7e60e01b5f5260205ff3'
const YES_MAN: Address = '0x00000000000000000000000000000000000ca11e'

let world: WalletWorld
let market: Market
let other: Awaited<ReturnType<typeof makeKeyWallet>>

beforeAll(async () => {
  world = await startWalletWorld()
  market = world.markets.USDC
  other = await makeKeyWallet(world.dev, 'the other side')
  await ready(other)
  await world.dev.setCode({ address: YES_MAN, bytecode: SAYS_YES })
})

afterAll(() => world?.stop())

/** Gives a wallet dollars and both approvals. */
async function ready(wallet: TestWallet): Promise<void> {
  await world.mint(market, wallet.address, START)
  const { coreAddress, settlementAddress } = market.deployment
  for (const spender of [coreAddress, settlementAddress]) await approve({ market, wallet, spender, due: maxUint256 })
}

const orderBy = (maker: TestWallet, makerSelling = true): Order =>
  orderOf(market, { maker: maker.address, taker: other.address, makerSelling })

/** Why a signed order cannot be filled by its taker, or null. */
const refusal = (order: Order, signature: Hex) => refusalOf(world.dev, order.taker, fillCall(market, order, signature))

describe('a Safe', () => {
  let safe: SafeWallet
  beforeAll(async () => {
    safe = await makeSafe(world.dev, { name: 'a safe', contracts: world.safe, owners: 3, threshold: 2 })
    await ready(safe)
  })

  it('is not bound by an owner that it removed after the order was signed', async () => {
    const [ada, bob, carol] = safe.owners
    if (ada === undefined || bob === undefined || carol === undefined) throw new Error('it has three owners')
    const order = orderBy(safe)
    const digest = digestOf(market, order)
    const [byRemoved, byRemaining] = [
      await safe.signHashBy([ada, carol], digest),
      await safe.signHashBy([ada, bob], digest),
    ]
    expect(await refusal(order, byRemoved)).toBeNull()
    await safe.send([call(safe.address, SAFE_ABI, 'removeOwner', [bob.address, carol.address, 2n])])
    expect(await refusal(order, byRemoved)).toBe('SignatureInvalid')
    expect(await refusal(order, byRemaining)).toBeNull()
  })

  it('is still bound by a key that it authorised before its owners changed, until it revokes it', async () => {
    const [ada, bob] = safe.owners
    if (ada === undefined || bob === undefined) throw new Error('it has owners')
    const { settlementAddress } = market.deployment
    const until = BigInt(await readChainTime(world.dev)) + 3_600n
    const abi = serviceRfqSettlementAbi
    await safe.send([call(settlementAddress, abi, 'authorizeSigner', [other.address, until])])
    const order = orderBy(safe)
    const signature = await signDigest(other.key, digestOf(market, order))
    const replacement = await makeKeyWallet(world.dev, 'a new owner')
    await safe.send([call(safe.address, SAFE_ABI, 'addOwnerWithThreshold', [replacement.address, 2n])])
    expect(await refusal(order, signature)).toBeNull()
    await safe.send([call(settlementAddress, abi, 'revokeSigner', [other.address])])
    expect(await refusal(order, signature)).toBe('SignatureInvalid')
  })

  it('without a fallback handler can neither sign nor buy, and can write as a taker', async () => {
    const order = orderBy(safe)
    const signature = await safe.signHash(digestOf(market, order))
    await safe.send([call(safe.address, SAFE_ABI, 'setFallbackHandler', [zeroAddress])])
    expect(await refusal(order, signature)).toBe('SignatureInvalid')
    const asTaker = async (makerSelling: boolean) => {
      const taken = orderOf(market, { maker: other.address, taker: safe.address, makerSelling })
      return { taken, by: await other.signHash(digestOf(market, taken)) }
    }
    const buys = await asTaker(true)
    expect(await refusal(buys.taken, buys.by)).toBe('it reverts without a reason')
    const writes = await asTaker(false)
    await safe.send([fillCall(market, writes.taken, writes.by)])
    expect(await holdingsOf(world.dev, market, safe.address)).toMatchObject({ written: writes.taken.optionAmount })
  })
})

describe('an account that delegates to other code after it signed (EIP-7702)', () => {
  let account: DelegatedWallet
  beforeAll(async () => {
    const implementation = world.delegates.simple
    account = await makeDelegatedWallet(world.dev, { name: 'a delegator', implementation, batch: simpleBatch })
    await ready(account)
  })

  it('is still bound by its key', async () => {
    const order = orderBy(account)
    const signature = await account.signHash(digestOf(market, order))
    await account.delegateTo(PERMIT2)
    expect(await refusal(order, signature)).toBeNull()
    await account.delegateTo(world.delegates.metaMask)
    expect(await refusal(order, signature)).toBeNull()
  })

  it('cannot buy by code that does not accept options, and loses nothing by it', async () => {
    const order = orderBy(account, false)
    const signature = await account.signHash(digestOf(market, order))
    expect(await refusal(order, signature)).toBeNull()
    await account.delegateTo(PERMIT2)
    const before = await holdingsOf(world.dev, market, account.address)
    expect(await refusal(order, signature)).toBe('ERC1155InvalidReceiver')
    await expect(other.send([fillCall(market, order, signature)])).rejects.toThrow()
    expect(await holdingsOf(world.dev, market, account.address)).toEqual(before)
    await account.delegateTo(world.delegates.simple)
    await other.send([fillCall(market, order, signature)])
    expect(await holdingsOf(world.dev, market, account.address)).toMatchObject({ held: order.optionAmount })
  })

  it('is bound by whatever its code accepts, for as long as it delegates to it', async () => {
    const order = orderBy(account)
    const byStranger = await signDigest(other.key, digestOf(market, order))
    expect(await refusal(order, byStranger)).toBe('SignatureInvalid')
    await account.delegateTo(YES_MAN)
    expect(await refusal(order, byStranger)).toBeNull()
    await account.delegateTo(world.delegates.simple)
    expect(await refusal(order, byStranger)).toBe('SignatureInvalid')
  })

  it.each(['authorization', 'permit2'] as const)(
    'cannot pay by %s with code that checks no signatures',
    async (method) => {
      const order = orderOf(market, { maker: other.address, taker: account.address, makerSelling: false })
      const makerSignature = await other.signHash(digestOf(market, order))
      const payment = await payBy(world.dev, method, { market, wallet: account, ...duesOf(market, order).taker })
      const fill = fillWithPaymentCall(market, order, makerSignature, payment)
      expect(await refusalOf(world.dev, account.address, fill)).toBeNull()
      await account.delegateTo(market.deployment.coreAddress)
      const reason = { authorization: 'FiatTokenV2: invalid signature', permit2: 'it reverts without a reason' }
      expect(await refusalOf(world.dev, account.address, fill)).toBe(reason[method])
      await account.delegateTo(world.delegates.simple)
    },
  )
})
