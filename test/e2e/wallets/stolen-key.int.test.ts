import { maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readChainTime, warpChain } from '../../../src/onchain/devnet/warp.ts'
import {
  serviceCoreAbi as coreAbi,
  serviceRfqSettlementAbi as settlementAbi,
  testUsdAbi,
} from '../../../src/protocol/contracts/abi.ts'
import type { Address } from '../../../src/protocol/domain/units.ts'
import { makeKeyWallet } from '../../support/wallets/key-wallet.ts'
import { approve, PERMIT2 } from '../../support/wallets/payments.ts'
import { settleAt } from '../../support/wallets/settle.ts'
import {
  CLAIM_THEFTS,
  COIN_THEFTS,
  CORE_THEFTS,
  PERMIT2_THEFTS,
  SETTLEMENT_THEFTS,
  type TheftScene,
} from '../../support/wallets/thefts.ts'
import { digestOf, fillCall, holdingsOf, orderOf, refusalOf } from '../../support/wallets/trade.ts'
import { type Call, call, type TestWallet } from '../../support/wallets/wallet.ts'
import { startWalletWorld } from '../../support/wallets/world.ts'

/** A thief has the hot key of a maker whose wallet approved everything. What it can do is sign orders, and nothing else. */

const START = 1_000_000_000n

let scene: TheftScene
/** An honest taker, whom the thief would use. */
let taker: TestWallet

beforeAll(async () => {
  const world = await startWalletWorld()
  const market = world.markets.USDC
  const { dev } = world
  const { stablecoinAddress, coreAddress, settlementAddress } = market.deployment
  const cold = await makeKeyWallet(dev, 'a cold wallet')
  const thief = await makeKeyWallet(dev, 'a stolen hot key')
  taker = await makeKeyWallet(dev, 'a taker')
  const openOrder = orderOf(market, { maker: cold.address, taker: taker.address, makerSelling: true })
  scene = { world, market, cold, thief, accomplice: taker, openOrder }
  for (const wallet of [cold, taker, thief]) {
    await world.mint(market, wallet.address, START)
    for (const spender of [coreAddress, settlementAddress, PERMIT2]) {
      await wallet.send([call(stablecoinAddress, testUsdAbi, 'approve', [spender, maxUint256])])
    }
    await wallet.send([call(coreAddress, coreAbi, 'setApprovalForAll', [settlementAddress, true])])
  }
  await cold.send([await authorize(thief.address)])
  // The cold wallet has written options and holds some.
  for (const makerSelling of [true, false]) {
    const order = orderOf(market, { maker: cold.address, taker: taker.address, makerSelling })
    await taker.send([fillCall(market, order, await cold.signHash(digestOf(market, order)))])
  }
  // The thief has some of both, too, that it would like to be rid of.
  for (const makerSelling of [true, false]) {
    const order = orderOf(market, { maker: thief.address, taker: taker.address, makerSelling })
    await taker.send([fillCall(market, order, await thief.signHash(digestOf(market, order)))])
  }
})

afterAll(() => scene?.world.stop())

/** Lets a key sign for whoever makes the call, for some seconds. */
async function authorize(signer: Address, forSeconds = 300_000): Promise<Call> {
  const until = BigInt(await readChainTime(scene.world.dev)) + BigInt(forSeconds)
  return call(scene.market.deployment.settlementAddress, settlementAbi, 'authorizeSigner', [signer, until])
}

const revoke = (signer: Address): Call =>
  call(scene.market.deployment.settlementAddress, settlementAbi, 'revokeSigner', [signer])

/** A fill by the taker of an order of the cold wallet that a key signed. */
async function fillSignedBy({ signHash }: TestWallet): Promise<Call> {
  const { market, cold } = scene
  const order = orderOf(market, { maker: cold.address, taker: taker.address, makerSelling: true })
  return fillCall(market, order, await signHash(digestOf(market, order)))
}

const refusalOfTaker = (fill: Call) => refusalOf(scene.world.dev, taker.address, fill)

/** All that the cold wallet has and has allowed. */
async function estate() {
  const { world, market, cold, thief, openOrder } = scene
  const { dev } = world
  const { stablecoinAddress, coreAddress, settlementAddress } = market.deployment
  const coin = { address: stablecoinAddress, abi: testUsdAbi } as const
  const core = { address: coreAddress, abi: coreAbi } as const
  const settlement = { address: settlementAddress, abi: settlementAbi } as const
  const owner = cold.address
  return {
    ...(await holdingsOf(dev, market, owner)),
    allowances: await Promise.all(
      [coreAddress, settlementAddress, PERMIT2, thief.address].map((spender) =>
        dev.readContract({ ...coin, functionName: 'allowance', args: [owner, spender] }),
      ),
    ),
    permits: await dev.readContract({ ...coin, functionName: 'nonces', args: [owner] }),
    operators: await Promise.all(
      [settlementAddress, thief.address].map((operator) =>
        dev.readContract({ ...core, functionName: 'isApprovedForAll', args: [owner, operator] }),
      ),
    ),
    acceptances: await dev.readContract({ ...core, functionName: 'nonces', args: [owner] }),
    isOpenOrderVoid: await dev.readContract({
      ...settlement,
      functionName: 'isNonceUsed',
      args: [owner, BigInt(openOrder.nonce)],
    }),
    signers: await Promise.all(
      [thief.address, taker.address].map((signer) =>
        dev.readContract({ ...settlement, functionName: 'signerUntil', args: [owner, signer] }),
      ),
    ),
  }
}

/** Those of the holders of a role, and what anyone may do to a series with proofs: no wallet's money is asked for there. */
const NOT_OF_WALLETS = [
  'claimAllFor',
  'confirmRole',
  'createPackage',
  'createSeries',
  'executeManual',
  'proposeManual',
  'proposeRole',
  'removeFromRole',
  'setDefaultCap',
  'setHalted',
  'setRole',
  'settleFromCondition',
  'settleWithAttestation',
  'vetoManual',
  'vetoSeries',
]

const writesOf = (abi: typeof coreAbi | typeof settlementAbi): string[] =>
  abi.flatMap((item) => (item.type === 'function' && item.stateMutability === 'nonpayable' ? [item.name] : []))

/** Sends each call from the thief's address where the chain takes it: what counts is what the cold wallet has then. */
async function attack(calls: readonly Call[]): Promise<void> {
  const { world, thief } = scene
  for (const one of calls) {
    if ((await refusalOf(world.dev, thief.address, one)) === null) await thief.send([one])
  }
}

const GROUPS = {
  settlement: SETTLEMENT_THEFTS,
  core: { ...CORE_THEFTS, ...CLAIM_THEFTS },
  coin: COIN_THEFTS,
  permit2: PERMIT2_THEFTS,
}

describe('a stolen key that may sign orders', () => {
  it('is tried on every function of settlement and core that changes something', () => {
    expect(Object.keys(SETTLEMENT_THEFTS).toSorted()).toEqual(writesOf(settlementAbi).toSorted())
    const tried = [...Object.keys(GROUPS.core), ...NOT_OF_WALLETS]
    expect(tried.toSorted()).toEqual(writesOf(coreAbi).toSorted())
  })

  it('signs orders that fill, as it may', async () => {
    expect(await refusalOfTaker(await fillSignedBy(scene.thief))).toBeNull()
  })

  const thefts = Object.entries(GROUPS).flatMap(([group, ways]) =>
    Object.entries(ways).map(([name, theft]) => [`${group}.${name}`, theft] as const),
  )
  it.each(thefts)('changes nothing of its maker by %s', async (_, theft) => {
    const before = await estate()
    await attack(await theft(scene))
    expect(await estate()).toEqual(before)
  })

  it('cannot let another key sign for the maker', async () => {
    await attack([await authorize(taker.address)])
    expect(await refusalOfTaker(await fillSignedBy(taker))).toBe('SignatureInvalid')
  })

  it('trades no more than what the maker approved', async () => {
    const { market, cold, thief } = scene
    const spender = market.deployment.coreAddress
    await approve({ market, wallet: cold, spender, due: 1_000_000n })
    expect(await refusalOfTaker(await fillSignedBy(thief))).toBe('ERC20: transfer amount exceeds allowance')
    await approve({ market, wallet: cold, spender, due: maxUint256 })
  })

  it('signs nothing that fills from the moment that the maker revokes it, and cannot undo that', async () => {
    const { cold, thief } = scene
    const fill = await fillSignedBy(thief)
    expect(await refusalOfTaker(fill)).toBeNull()
    await cold.send([revoke(thief.address)])
    expect(await refusalOfTaker(fill)).toBe('SignatureInvalid')
    await attack([await authorize(thief.address), await authorize(taker.address)])
    expect(await refusalOfTaker(fill)).toBe('SignatureInvalid')
  })

  it('lapses with the second that it was authorised until', async () => {
    const { world, cold, thief } = scene
    await cold.send([await authorize(thief.address, 600)])
    const fill = await fillSignedBy(thief)
    expect(await refusalOfTaker(fill)).toBeNull()
    await warpChain(world.dev, 601)
    expect(await refusalOfTaker(fill)).toBe('SignatureInvalid')
  })

  it('collects nothing of its maker when the series is settled', async () => {
    const { world, market, cold, thief } = scene
    await cold.send([await authorize(thief.address)])
    await settleAt(world, market, 60)
    const before = await estate()
    for (const theft of Object.values(CLAIM_THEFTS)) await attack(await theft(scene))
    expect(await estate()).toEqual(before)
    // Anyone may have it paid out, to the cold wallet alone.
    await attack([call(market.deployment.coreAddress, coreAbi, 'claimAllFor', [cold.address, BigInt(market.seriesId)])])
    const after = await estate()
    expect(after.dollars).toBeGreaterThan(before.dollars)
    expect({ held: after.held, written: after.written }).toEqual({ held: 0n, written: 0n })
  })
})
