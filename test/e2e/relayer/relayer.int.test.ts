import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contractRefusal } from '../../../src/client/contract-refusal.ts'
import { createRelayerClient } from '../../../src/client/index.ts'
import { serviceRfqSettlementAbi } from '../../../src/protocol/contracts/abi.ts'
import type { GaslessFill } from '../../../src/protocol/domain/gasless-fill.ts'
import { type Hex, usd6 } from '../../../src/protocol/domain/units.ts'
import { FEE, fillCall, openRelayer, openWorld, PREMIUM, RECIPIENT, type World } from './world.ts'

const GWEI = 10n ** 9n

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.devnet.stop())
beforeEach(async () => {
  await world.client.setAutomine(true)
})

const coinOf = (address: Hex) => world.client.getBalance({ address })
const sentBy = (address: Hex) => world.client.getTransactionCount({ address })

/** Runs something whose transactions wait to be mined until it has ended. */
async function unmined<Result>(work: () => Promise<Result>): Promise<Result> {
  await world.client.setAutomine(false)
  const result = await work()
  await world.client.mine({ blocks: 1 })
  await world.client.setAutomine(true)
  return result
}

describe('a taker without any coin', () => {
  it('buys by a permit, and pays the premium and exactly the fee', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const [paidBefore, makerBefore] = await Promise.all([
      world.dollarsOf(RECIPIENT),
      world.dollarsOf(world.maker.address),
    ])
    const client = createRelayerClient({ url: relayer.url })
    const { fee, feeRecipient, isAccepting } = await client.getTerms()
    expect({ fee, feeRecipient, isAccepting }).toEqual({ fee: FEE, feeRecipient: RECIPIENT, isAccepting: true })
    // It allows more than the relayer asks for, and is charged what it asks for.
    const fill = await world.sign(taker, { maxFee: FEE * 10n })
    const filled = await client.submitFillUntilMined({ fill })
    expect(filled).toMatchObject({ status: 'filled', failure: null })
    expect(await world.optionsOf(taker.address, world.seriesId)).toBe(100n)
    expect(await world.dollarsOf(taker.address)).toBe(1_000_000_000n - PREMIUM - FEE)
    expect((await world.dollarsOf(RECIPIENT)) - paidBefore).toBe(FEE)
    expect(await coinOf(taker.address)).toBe(0n)
    expect(await world.dollarsOf(relayer.account.address)).toBe(0n)
    expect(await world.dollarsOf(world.environment.settlementAddress)).toBe(0n)
    // The maker locked 100 times 0.50 and got the premium.
    expect((await world.dollarsOf(world.maker.address)) - makerBefore).toBe(PREMIUM - 50_000_000n)
    expect(await client.getFill({ orderHash: filled.orderHash })).toEqual(filled)
  })

  it('writes by a permit for its collateral, and the fee comes out of the premium', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const paidBefore = await world.dollarsOf(RECIPIENT)
    const fill = await world.sign(taker, { makerSelling: false })
    await createRelayerClient({ url: relayer.url }).submitFillUntilMined({ fill })
    expect((await world.dollarsOf(RECIPIENT)) - paidBefore).toBe(FEE)
    expect(await world.dollarsOf(taker.address)).toBe(1_000_000_000n - 50_000_000n + PREMIUM - FEE)
    expect(await coinOf(taker.address)).toBe(0n)
  })
})

describe("a partner's share", () => {
  const PARTNER = '0x0202020202020202020202020202020202020202'
  const partnerFee = { recipient: PARTNER, bps: 25 } as const
  const SHARE = 30_000n

  it('comes on top of the premium and the fee for a taker that buys', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const paidBefore = await world.dollarsOf(PARTNER)
    const fill = await world.sign(taker, { partnerFee })
    expect(await createRelayerClient({ url: relayer.url }).submitFillUntilMined({ fill })).toMatchObject({
      status: 'filled',
    })
    expect((await world.dollarsOf(PARTNER)) - paidBefore).toBe(SHARE)
    expect(await world.dollarsOf(taker.address)).toBe(1_000_000_000n - PREMIUM - FEE - SHARE)
  })

  it('comes out of the premium for a taker that writes', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const paidBefore = await world.dollarsOf(PARTNER)
    const fill = await world.sign(taker, { makerSelling: false, partnerFee })
    await createRelayerClient({ url: relayer.url }).submitFillUntilMined({ fill })
    expect((await world.dollarsOf(PARTNER)) - paidBefore).toBe(SHARE)
    expect(await world.dollarsOf(taker.address)).toBe(1_000_000_000n - 50_000_000n + PREMIUM - FEE - SHARE)
  })

  it('is refused where it is not what the taker signed', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const { authorization, ...rest } = await world.sign(taker, { partnerFee })
    const fill = { ...rest, authorization: { ...authorization, partnerFee: { recipient: RECIPIENT, bps: 500 } } }
    const body = { code: 'fill_refused', contractError: 'FillAuthorizationInvalid' }
    expect(await relayer.submit(fill)).toMatchObject({ status: 422, body })
  })
})

describe('a fill that someone else submits too', () => {
  it('before: is reported as filled, with their transaction, and costs the relayer nothing', async () => {
    const [taker, other] = [await world.openTaker(), await world.openPayer()]
    const relayer = await openRelayer(world)
    const fill = await world.sign(taker)
    const paidBefore = await world.dollarsOf(RECIPIENT)
    const theirs = await world.sendAs(other, fill)
    expect(await relayer.submit(fill)).toMatchObject({
      status: 200,
      body: { status: 'filled', transactionHash: theirs },
    })
    expect((await world.dollarsOf(RECIPIENT)) - paidBefore).toBe(FEE)
    expect(await sentBy(relayer.account.address)).toBe(0)
  })

  it('while it is on its way: is reported as filled, and the recipient is paid once, by either', async () => {
    const [taker, other] = [await world.openTaker(), await world.openPayer()]
    const relayer = await openRelayer(world)
    const fill = await world.sign(taker)
    const paidBefore = await world.dollarsOf(RECIPIENT)
    const theirs = await unmined(async () => {
      expect(await relayer.submit(fill)).toMatchObject({ status: 202, body: { status: 'sent' } })
      return world.sendAs(other, fill, { tip: 50n * GWEI })
    })
    await expect.poll(() => relayer.status(fill)).toMatchObject({ status: 'filled', transactionHash: theirs })
    expect((await world.dollarsOf(RECIPIENT)) - paidBefore).toBe(FEE)
    expect(await sentBy(relayer.account.address)).toBe(1)
    // All that it lost is gas, which it has counted.
    expect(await coinOf(relayer.account.address)).toBeLessThan(10n ** 18n)
    const metrics = await (await fetch(`${relayer.url}/metrics`)).text()
    expect(Number(/^rfqctl_relayer_coin_paid_total (\S+)/m.exec(metrics)?.[1])).toBeGreaterThan(0)
  })

  it('again and again: is one transaction, whose fee is paid once, also of a relayer that was started again', async () => {
    const taker = await world.openTaker()
    const relayer = await openRelayer(world)
    const fill = await world.sign(taker)
    const paidBefore = await world.dollarsOf(RECIPIENT)
    await Promise.all(Array.from({ length: 8 }, () => relayer.submit(fill)))
    await expect.poll(() => relayer.status(fill)).toMatchObject({ status: 'filled' })
    await relayer.close()
    const again = await openRelayer(world, { account: relayer.account })
    expect(await again.status(fill)).toMatchObject({ code: 'fill_not_found' })
    expect(await again.submit(fill)).toMatchObject({ status: 200, body: { status: 'filled' } })
    expect((await world.dollarsOf(RECIPIENT)) - paidBefore).toBe(FEE)
    expect(await sentBy(relayer.account.address)).toBe(1)
  })
})

describe('refusals of a relayer', () => {
  it.each<[string, string, (fill: GaslessFill) => Promise<GaslessFill> | GaslessFill]>([
    [
      "a signature that is not the taker's",
      'FillAuthorizationInvalid',
      (fill) => ({ ...fill, takerSignature: `0x${'11'.repeat(65)}` }),
    ],
    [
      'a signature of 4,096 bytes',
      'FillAuthorizationInvalid',
      (fill) => ({ ...fill, takerSignature: `0x${'11'.repeat(4_096)}` }),
    ],
    [
      "a signature that is not the maker's",
      'SignatureInvalid',
      (fill) => ({ ...fill, makerSignature: fill.takerSignature }),
    ],
    [
      'a payment that was not signed',
      'ERC20InsufficientAllowance',
      (fill) => ({ ...fill, payment: { ...fill.payment, value: usd6(1n) } }),
    ],
  ])('%s: it tells the error of the contract by name', async (_, contractError, change) => {
    const relayer = await openRelayer(world)
    const fill = await change(await world.sign(await world.openTaker()))
    expect(await relayer.submit(fill)).toMatchObject({ status: 422, body: { code: 'fill_refused', contractError } })
    expect(await sentBy(relayer.account.address)).toBe(0)
  })

  it('an order that its maker has cancelled, though its taker has filled another of the same terms', async () => {
    const relayer = await openRelayer(world)
    const taker = await world.openTaker()
    const client = createRelayerClient({ url: relayer.url })
    const { status } = await client.submitFillUntilMined({ fill: await world.sign(taker) })
    expect(status).toBe('filled')
    const fill = await world.sign(taker)
    const cancel = {
      address: world.environment.settlementAddress,
      abi: serviceRfqSettlementAbi,
      functionName: 'cancelNonce',
    } as const
    await world.client.writeContract({ ...cancel, account: world.maker.address, args: [BigInt(fill.order.nonce)] })
    expect(await relayer.submit(fill)).toMatchObject({
      status: 422,
      body: { contractError: 'NonceUsed', reason: 'nonce_used' },
    })
    expect(await sentBy(relayer.account.address)).toBe(1)
  })

  it('an order whose maker has signed another with its nonce, which is filled', async () => {
    const relayer = await openRelayer(world)
    const taker = await world.openTaker()
    const filled = await world.sign(taker)
    const other = await world.sign(taker, { makerSelling: false, nonce: filled.order.nonce })
    await createRelayerClient({ url: relayer.url }).submitFillUntilMined({ fill: filled })
    expect(await relayer.submit(other)).toMatchObject({ status: 422, body: { contractError: 'NonceUsed' } })
  })

  it.each<[bigint, string, string]>([
    [60_000n, 'fill_too_expensive', 'The fill takes more than 60000 gas.'],
    [150_000n, 'fill_refused', 'It may take more than 150000 gas.'],
  ])('a fill that takes more gas than the %i that it pays for', async (maxGas, code, says) => {
    const relayer = await openRelayer(world, { maxGas })
    const fill = await world.sign(await world.openTaker())
    expect((await relayer.submit(fill)).body).toMatchObject({ code, error: expect.stringContaining(says) })
    expect(await sentBy(relayer.account.address)).toBe(0)
  })

  it('anything at a price of gas above its own', async () => {
    const relayer = await openRelayer(world, { maxGasPrice: 1n })
    expect(await relayer.submit(await world.sign(await world.openTaker()))).toMatchObject({
      status: 503,
      body: { code: 'relayer_unavailable', error: expect.stringContaining('Gas costs more') },
    })
  })

  it('a fill of a wallet that burns all gas that it is given', async () => {
    const relayer = await openRelayer(world)
    const [taker, wallet] = [await world.openTaker(), privateKeyToAccount(generatePrivateKey()).address]
    // A loop without an end.
    await world.client.setCode({ address: wallet, bytecode: '0x5b600056' })
    await world.mint(wallet, 1_000_000_000n)
    await world.approveAll(wallet)
    const fill = await world.sign(taker, {
      taker: wallet,
      makerSelling: false,
      payment: 'allowance',
      takerSignature: '0x',
    })
    const startedAt = performance.now()
    const { status, body } = await relayer.submit(fill)
    expect(status).toBe(422)
    expect(['fill_refused', 'fill_too_expensive']).toContain(body.code)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await sentBy(relayer.account.address)).toBe(0)
  })

  it('more than three fills of a wallet that passes every trial and fails once it is sent', async () => {
    const relayer = await openRelayer(world)
    const [taker, wallet] = [await world.openTaker(), privateKeyToAccount(generatePrivateKey()).address]
    // Signs whatever it is asked while its first slot is empty.
    const bytecode = '0x600054601657631626ba7e60e01b60005260206000f35b60006000fd'
    await world.client.setCode({ address: wallet, bytecode })
    await world.mint(wallet, 1_000_000_000n)
    await world.approveAll(wallet)
    const setMood = (value: 0 | 1) =>
      world.client.setStorageAt({
        address: wallet,
        index: `0x${'0'.repeat(64)}`,
        value: `0x${String(value).padStart(64, '0')}`,
      })
    const terms = { taker: wallet, makerSelling: false, payment: 'allowance', takerSignature: '0x' } as const
    for (let round = 0; round < 3; round += 1) {
      const fill = await world.sign(taker, terms)
      await unmined(async () => {
        expect(await relayer.submit(fill)).toMatchObject({ status: 202 })
        await setMood(1)
      })
      await expect
        .poll(() => relayer.status(fill))
        .toMatchObject({ failure: 'reverted', reason: expect.stringMatching(/sign/) })
      await setMood(0)
    }
    expect(await relayer.submit(await world.sign(taker, terms))).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests' },
    })
    expect(await sentBy(relayer.account.address)).toBe(3)
  })
})

describe('the key of a relayer', () => {
  const nameOf = (sending: Promise<unknown>) =>
    sending.then(
      () => 'sent',
      (fault: unknown) => contractRefusal(fault)?.errorName ?? 'unknown',
    )

  it('can take no more than what was signed, from no one else, for no one else, and not twice', async () => {
    const [taker, thief] = [await world.openTaker(), await world.openPayer()]
    const fill = await world.sign(taker)
    const other = await world.sign(taker, { makerSelling: true })
    const { authorization, order } = fill
    const attempt = (changed: GaslessFill, fee: bigint = FEE) =>
      nameOf(
        world.client.simulateContract({
          ...fillCall(world.environment.settlementAddress, changed, fee),
          account: thief,
        }),
      )
    expect(await attempt(fill, FEE + 1n)).toBe('FeeAboveMax')
    const changed = (fields: Partial<typeof authorization>) => ({
      ...fill,
      authorization: { ...authorization, ...fields },
    })
    expect(await attempt(changed({ feeRecipient: thief.address }))).toBe('FillAuthorizationInvalid')
    expect(await attempt(changed({ maxFee: usd6(FEE * 100n) }), FEE * 100n)).toBe('FillAuthorizationInvalid')
    expect(await attempt(changed({ deadline: authorization.deadline + 3_600 }))).toBe('FillAuthorizationInvalid')
    // The order of another trade, and this one on other terms.
    expect(await attempt({ ...fill, order: other.order, makerSignature: other.makerSignature })).toBe(
      'FillAuthorizationMismatch',
    )
    const cheaper = { ...order, premiumAmount: usd6(1n) }
    expect(await attempt({ ...fill, order: cheaper })).toBe('FillAuthorizationMismatch')
    expect(await nameOf(world.sendAs(thief, fill))).toBe('sent')
    expect(await attempt(fill)).toBe('NonceUsed')
    expect(await world.dollarsOf(taker.address)).toBe(1_000_000_000n - PREMIUM - FEE)
    expect(await world.dollarsOf(thief.address)).toBe(0n)
  })
})

describe('a relayer as a process', () => {
  it('ends what it has sent before it stops, and takes nothing more', async () => {
    const relayer = await openRelayer(world)
    const [first, second] = [await world.sign(await world.openTaker()), await world.sign(await world.openTaker())]
    let closing: Promise<void> = Promise.resolve()
    await unmined(async () => {
      await relayer.submit(first)
      closing = relayer.close()
      expect(await relayer.submit(second)).toMatchObject({ status: 503, body: { code: 'shutting_down' } })
    })
    await closing
    expect(await world.optionsOf(first.order.taker, world.seriesId)).toBe(100n)
    expect(await sentBy(relayer.account.address)).toBe(1)
  })

  it('logs orders and transactions, and nothing that a taker signed', async () => {
    const relayer = await openRelayer(world)
    const good = await world.sign(await world.openTaker())
    const bad = { ...(await world.sign(await world.openTaker())), takerSignature: good.takerSignature }
    await relayer.submit(good)
    await expect.poll(() => relayer.status(good)).toMatchObject({ status: 'filled' })
    await relayer.submit(bad)
    const log = relayer.log()
    expect(log).toContain(good.authorization.orderHash)
    for (const { takerSignature, makerSignature, payment } of [good, bad]) {
      for (const signature of [takerSignature, makerSignature, payment.signature]) {
        // Not even its first word.
        expect(log).not.toContain(signature.slice(2, 66))
      }
    }
  })

  it('answers 503 while its node is down, and says nothing of where that is', async () => {
    const own = await openWorld()
    const relayer = await openRelayer(own)
    const fill = await own.sign(await own.openTaker())
    await own.devnet.stop()
    await expect.poll(async () => (await relayer.submit(fill)).status).toBe(503)
    const answer = await relayer.submit(fill)
    expect(answer).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
    expect(JSON.stringify(answer.body) + relayer.log()).not.toContain(own.devnet.rpcUrl)
  })

  it('says that its wallet has no coin, and takes no fills', async () => {
    const relayer = await openRelayer(world, { account: privateKeyToAccount(generatePrivateKey()) })
    expect(relayer.terms).toMatchObject({ isAccepting: false, reason: 'Its wallet has too little coin for gas.' })
    expect(relayer.log()).toContain('relayer_idle')
    expect(await relayer.submit(await world.sign(await world.openTaker()))).toMatchObject({ status: 503 })
  })
})
