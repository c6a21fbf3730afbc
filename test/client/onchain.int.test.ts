import { custom, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createContractCalls } from '../../src/client/contract-calls.ts'
import { ContractRefusedError, OrderMismatchError } from '../../src/client/errors.ts'
import type { CommittedTrade } from '../../src/client/fill.ts'
import { createMakerClient } from '../../src/client/maker.ts'
import type { MakerClient } from '../../src/client/maker-client.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import type { TakerClient } from '../../src/client/taker-client.ts'
import { UNLIMITED } from '../../src/client/wallet.ts'
import type { Deployment } from '../../src/onchain/deploy/inspect.ts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { deployContracts } from '../../src/onchain/devnet/deploy-contracts.ts'
import { fundWallets, registerSeries } from '../../src/onchain/devnet/seed.ts'
import { readChainTime, warpChain } from '../../src/onchain/devnet/warp.ts'
import { serviceCoreAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { attestationDomain, attestationTypedData } from '../../src/protocol/domain/attestation.ts'
import { normalPackage } from '../../src/protocol/domain/option.ts'
import { type Order, orderDomain, orderTypedData } from '../../src/protocol/domain/order.ts'
import {
  type OneSided,
  type OneSidedTrade,
  type RequestTerms,
  seriesTermsOf,
} from '../../src/protocol/domain/request.ts'
import { seriesIdOf, type VanillaTerms } from '../../src/protocol/domain/series.ts'
import { type Address, contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'

const accounts = createDevAccounts()
const makerAccount = privateKeyToAccount(accounts.makers[0]?.privateKey ?? '0x')
const takerAccount = privateKeyToAccount(accounts.takers[0]?.privateKey ?? '0x')
const signer = privateKeyToAccount(accounts.resolutionSigner.privateKey)
const BUY: OneSidedTrade = { side: 'buy', budget: usd6(100_000_000n) }
const SELL: OneSidedTrade = { side: 'sell', size: contracts(200n) }
const CHAIN_ID = 80_002
const STRIKE_BPS = 4_500 as StrikeBps

let anvil: Anvil
let dev: DevClient
let deployment: Deployment
let taker: TakerClient
let maker: MakerClient
let expiry: number
let nonce = 0

beforeAll(async () => {
  anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  dev = createDevClient(anvil.rpcUrl)
  deployment = await deployContracts(dev, accounts)
  expiry = (await readChainTime(dev)) + 3_600
  await fundWallets(dev, accounts, deployment)
  const series = seriesTermsOf(termsOf(BUY))
  await registerSeries(dev, { owner: accounts.deployer.address, coreAddress: deployment.coreAddress, series: [series] })
  const url = 'http://127.0.0.1:1'
  taker = createTakerClient({ url, account: takerAccount, chain: chainSetup() })
  maker = createMakerClient({ url, apiKey: null, account: makerAccount, chain: chainSetup() })
})

afterAll(async () => anvil?.stop())

const chainSetup = () => ({
  ...deployment,
  chainId: CHAIN_ID,
  transport: http(anvil.rpcUrl),
  pollingIntervalMs: 20,
})

const termsOf = (trade: OneSidedTrade): OneSided<RequestTerms> => ({
  wallet: null,
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: null },
  option: { optionType: 'call', strikeBps: STRIKE_BPS, expiryMs: expiry * 1_000 },
  trade,
})

const seriesId = () => seriesIdOf(seriesTermsOf(termsOf(BUY)))

/** A signed trade at 0.12, as an honest relay gives it to its taker. */
async function commitmentOf(trade: OneSidedTrade, over: Partial<Order> = {}): Promise<CommittedTrade> {
  const terms = termsOf(trade)
  const price = usd6(120_000n)
  const optionAmount = contracts(200n)
  const order: Order = {
    maker: makerAccount.address,
    seriesId: seriesId(),
    optionAmount,
    premiumAmount: usd6(optionAmount * price),
    makerSelling: trade.side === 'buy',
    taker: takerAccount.address,
    validUntil: (await readChainTime(dev)) + 130,
    nonce: nonce++,
    ...over,
  }
  const domain = orderDomain(CHAIN_ID, deployment.settlementAddress)
  const quote = { makerId: 'm', quoteId: 'q', maker: null, price, size: optionAmount, fillContracts: optionAmount }
  return {
    message: '',
    mode: 'onchain',
    quote: { ...quote, side: trade.side, expiresInMs: null },
    execution: { executionId: 'e', requestId: 'r', quoteId: 'q', makerId: 'm', executedAt: 0 },
    onchain: {
      ...deployment,
      order,
      makerSignature: await makerAccount.signTypedData(orderTypedData(order, domain)),
      domain,
      chainId: CHAIN_ID,
      takerApproval: { spender: '0x000000000000000000000000000000000000dEaD', amount: UNLIMITED, reason: 'premium' },
    },
    terms,
    protections: { limitPrice: price, minContracts: contracts(100n) },
  }
}

/** What a call was refused with. */
async function refusalOf(call: Promise<unknown>): Promise<ContractRefusedError> {
  const error = await call.then(
    () => null,
    (fault: unknown) => fault,
  )
  if (error instanceof ContractRefusedError) return error
  throw new Error(`It was not refused: ${error}`)
}

const sentBy = (wallet: Address) => dev.getTransactionCount({ address: wallet })

describe('a trade on the chain', () => {
  test('is filled by a buyer with an approval of exactly the premium, to the settlement and no one else', async () => {
    const before = { taker: await taker.getBalance(), maker: await maker.getBalance() }
    const { approval, fill } = await taker.fillOrder({ commitment: await commitmentOf(BUY) })
    expect(approval?.status).toBe('success')
    expect(fill.status).toBe('success')
    expect(before.taker - (await taker.getBalance())).toBe(24_000_000n)
    expect(before.maker - (await maker.getBalance())).toBe(200n * 550_000n - 24_000_000n)
    expect(await taker.getAllowance('settlement')).toBe(0n)
    expect(await taker.getAllowance('core')).toBe(0n)
    expect(await taker.listPositions({ seriesIds: ['7', seriesId()] })).toEqual([
      { seriesId: seriesId(), long: 200n, short: 0n },
    ])
    expect(await maker.listPositions({ seriesIds: [seriesId()] })).toEqual([
      { seriesId: seriesId(), long: 0n, short: 200n },
    ])
  })

  test('is filled by a writer with an approval of exactly the collateral, to the core', async () => {
    const before = await taker.getBalance()
    const { approval } = await taker.fillOrder({ commitment: await commitmentOf(SELL) })
    expect(approval?.status).toBe('success')
    expect(before - (await taker.getBalance())).toBe(200n * 550_000n - 24_000_000n)
    expect(await taker.getAllowance('core')).toBe(0n)
    expect(await taker.listPositions({ seriesIds: [seriesId()] })).toEqual([
      { seriesId: seriesId(), long: 200n, short: 200n },
    ])
  })

  test('needs no approval where enough is approved', async () => {
    expect(await taker.approveSpender({ spender: 'settlement', amount: usd6(24_000_000n) })).not.toBeNull()
    expect(await taker.approveSpender({ spender: 'settlement', amount: usd6(24_000_000n) })).toBeNull()
    const { approval } = await taker.fillOrder({ commitment: await commitmentOf(BUY) })
    expect(approval).toBeNull()
  })

  test('cannot be filled once its maker has cancelled the nonce, which a maker can do once', async () => {
    const commitment = await commitmentOf(BUY)
    const cancelled = { nonce: commitment.onchain?.order.nonce ?? -1 }
    expect((await maker.cancelNonce(cancelled)).status).toBe('success')
    await expect(taker.fillOrder({ commitment })).rejects.toThrow(ContractRefusedError)
    expect((await refusalOf(maker.cancelNonce(cancelled))).errorName).toBe('NonceUsed')
  })

  test('takes an approval back, and sends nothing where there is none', async () => {
    await taker.approveSpender({ spender: 'core', amount: usd6(5n) })
    expect(await taker.revokeApproval({ spender: 'core' })).not.toBeNull()
    expect(await taker.getAllowance('core')).toBe(0n)
    expect(await taker.revokeApproval({ spender: 'core' })).toBeNull()
  })

  test('lets go of a slow chain at once when it is aborted, whatever it waits for', async () => {
    const never = custom({ request: () => new Promise(() => {}) })
    const slow = createTakerClient({
      url: 'http://127.0.0.1:1',
      account: takerAccount,
      chain: { ...chainSetup(), transport: never },
    })
    const commitment = await commitmentOf(BUY)
    const abort = new AbortController()
    const { signal } = abort
    const calls = [
      slow.getBalance({ signal }),
      slow.getAllowance('core', { signal }),
      slow.approveSpender({ spender: 'core', amount: usd6(1n), signal }),
      slow.revokeApproval({ spender: 'core', signal }),
      slow.listPositions({ seriesIds: [seriesId()], signal }),
      slow.claimHolderPayout({ seriesId: seriesId(), signal }),
      slow.claimWriterCollateral({ seriesId: seriesId(), signal }),
      slow.fillOrder({ commitment, signal }),
    ].map((call) => call.catch((error: unknown) => error))
    abort.abort('enough')
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'enough'))
  })

  test('sends nothing when the order is not what was agreed', async () => {
    const before = await sentBy(takerAccount.address)
    const dear = await commitmentOf(BUY, { premiumAmount: usd6(24_000_001n) })
    await expect(taker.fillOrder({ commitment: dear })).rejects.toThrow(OrderMismatchError)
    const { onchain, ...rest } = await commitmentOf(BUY)
    if (onchain === null) throw new Error('simulated')
    const elsewhere = { ...onchain, domain: { ...onchain.domain, verifyingContract: deployment.coreAddress } }
    await expect(taker.fillOrder({ commitment: { ...rest, onchain: elsewhere } })).rejects.toThrow(OrderMismatchError)
    await expect(taker.fillOrder({ commitment: { ...rest, onchain: null } })).rejects.toThrow('simulated')
    expect(await sentBy(takerAccount.address)).toBe(before)
  })

  test('takes one transaction with a permit of exactly the premium, and needs none where enough is approved', async () => {
    await taker.approveSpender({ spender: 'settlement', amount: usd6(1n) })
    const before = { sent: await sentBy(takerAccount.address), balance: await taker.getBalance() }
    const first = await taker.fillOrder({ commitment: await commitmentOf(BUY), approval: 'permit' })
    expect(first).toMatchObject({ approval: null, usedPermit: true, fill: { status: 'success' } })
    expect(await sentBy(takerAccount.address)).toBe(before.sent + 1)
    expect(before.balance - (await taker.getBalance())).toBe(24_000_000n)
    expect(await taker.getAllowance('settlement')).toBe(0n)
    await taker.approveSpender({ spender: 'settlement', amount: usd6(24_000_000n) })
    const second = await taker.fillOrder({ commitment: await commitmentOf(BUY), approval: 'permit' })
    expect(second).toMatchObject({ approval: null, usedPermit: false, fill: { status: 'success' } })
  })

  test('takes one transaction with a permit of the collateral, to the core, for one who writes', async () => {
    const before = await sentBy(takerAccount.address)
    const { usedPermit } = await taker.fillOrder({ commitment: await commitmentOf(SELL), approval: 'permit' })
    expect([usedPermit, (await sentBy(takerAccount.address)) - before]).toEqual([true, 1])
    expect(await taker.getAllowance('core')).toBe(0n)
  })

  test('that cannot be filled is refused by what is wrong with it, and no approval is sent for it', async () => {
    const commitment = await commitmentOf(BUY)
    await taker.fillOrder({ commitment })
    const before = await sentBy(takerAccount.address)
    expect(await refusalOf(taker.fillOrder({ commitment }))).toMatchObject({
      code: 'nonce_used',
      values: [
        { name: 'maker', value: makerAccount.address },
        { name: 'nonce', value: nonce - 1 },
      ],
    })
    const late = await commitmentOf(BUY, { validUntil: (await readChainTime(dev)) - 1 })
    expect(await refusalOf(taker.fillOrder({ commitment: late }))).toMatchObject({ code: 'order_expired' })
    expect(await sentBy(takerAccount.address)).toBe(before)
  })

  test('tells who is short of how much, maker or taker', async () => {
    const commitment = await commitmentOf(BUY)
    const before = await sentBy(takerAccount.address)
    await maker.approveSpender({ spender: 'core', amount: UNLIMITED })
    const token = { address: deployment.stablecoinAddress, abi: testUsdAbi } as const
    const approve = async (amount: bigint) => {
      const args = [deployment.coreAddress, amount] as const
      const hash = await dev.writeContract({
        ...token,
        account: makerAccount.address,
        functionName: 'approve',
        args,
      })
      await dev.waitForTransactionReceipt({ hash })
    }
    await approve(109_000_000n)
    expect(await refusalOf(taker.fillOrder({ commitment }))).toMatchObject({
      code: 'maker_insufficient_allowance',
      values: [{ name: 'maker' }, { name: 'shortfall', unit: 'usd', value: 1_000_000n }],
    })
    await approve(UNLIMITED)
    const poor = createTakerClient({ url: 'http://127.0.0.1:1', account: signer, chain: chainSetup() })
    const theirs = await commitmentOf(BUY, { taker: signer.address })
    expect(await refusalOf(poor.fillOrder({ commitment: theirs }))).toMatchObject({
      code: 'taker_insufficient_balance',
      values: [{ name: 'taker' }, { name: 'shortfall', unit: 'usd', value: 24_000_000n }],
    })
    expect(await sentBy(takerAccount.address)).toBe(before)
  })

  test('leaves both sides with what they put in: premiums, and collateral', async () => {
    const of = async (client: TakerClient | MakerClient) => {
      const [position] = await client.listCostedPositions({ seriesIds: [seriesId()] })
      return position ?? { long: 0n, short: 0n, cost: null }
    }
    const { long, short, cost } = await of(taker)
    expect([long > 0n, short > 0n]).toEqual([true, true])
    expect(cost).toBe(long * 120_000n + short * (550_000n - 120_000n))
    expect(await of(maker)).toMatchObject({
      long: short,
      short: long,
      cost: short * 120_000n + long * (550_000n - 120_000n),
    })
  })

  test('is filled when a key that its maker authorised has signed it, and not once it is revoked', async () => {
    const hot = privateKeyToAccount(`0x${'07'.repeat(32)}`)
    const cold = makerAccount.address
    const quoting = createMakerClient({
      url: 'http://127.0.0.1:1',
      apiKey: null,
      account: hot,
      maker: cold,
      chain: chainSetup(),
    })
    expect(await quoting.getBalance()).toBe(await maker.getBalance())
    expect(await quoting.getSignerUntil({ signer: hot.address })).toBeNull()
    const calls = createContractCalls(chainSetup())
    const until = (await readChainTime(dev)) + 3_600
    await maker.sendCall({ call: calls.authorizeSigner({ signer: hot.address, until }) })
    expect(await quoting.getSignerUntil({ signer: hot.address })).toBe(until)
    const signed = async () => {
      const { onchain, ...rest } = await commitmentOf(BUY)
      if (onchain === null) throw new Error('simulated')
      const makerSignature = await hot.signTypedData(orderTypedData(onchain.order, onchain.domain))
      return { ...rest, onchain: { ...onchain, makerSignature } }
    }
    expect((await taker.fillOrder({ commitment: await signed() })).fill.status).toBe('success')
    await maker.sendCall({ call: calls.revokeSigner({ signer: hot.address }) })
    expect(await maker.getSignerUntil({ signer: hot.address })).toBeNull()
    await expect(taker.fillOrder({ commitment: await signed() })).rejects.toThrow(OrderMismatchError)
  })

  test('sends nothing by a key that may only sign orders, whatever it is asked for', async () => {
    const hot = privateKeyToAccount(`0x${'07'.repeat(32)}`)
    await dev.setBalance({ address: hot.address, value: 10n ** 18n })
    const quoting = createMakerClient({
      url: 'http://127.0.0.1:1',
      apiKey: null,
      account: hot,
      maker: makerAccount.address,
      chain: chainSetup(),
    })
    const refused = { code: 'client_setup', message: expect.stringContaining(makerAccount.address) }
    await expect(quoting.cancelNonce({ nonce: 1 })).rejects.toMatchObject(refused)
    await expect(quoting.revokeApproval({ spender: 'core' })).rejects.toMatchObject(refused)
    expect(await sentBy(hot.address)).toBe(0)
  })

  test('ends with the signal’s reason', async () => {
    const reason = new Error('enough')
    const commitment = await commitmentOf(BUY)
    await expect(taker.fillOrder({ commitment, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('hands over options that its seller holds, takes collateral for the rest, and closes what its buyer has written', async () => {
    const own = async (client: TakerClient | MakerClient) =>
      (await client.listPositions({ seriesIds: [seriesId()] }))[0] ?? { long: 0n, short: 0n }
    const sale = await commitmentOf({ ...SELL, reduceOnly: true } as OneSidedTrade)
    expect(await refusalOf(taker.fillOrder({ commitment: sale }))).toMatchObject({ code: 'operator_not_approved' })
    expect(await taker.approveInventory()).not.toBeNull()
    expect(await taker.approveInventory()).toBeNull()
    const before = { taker: await own(taker), maker: await own(maker), balance: await taker.getBalance() }
    expect(before.taker.long >= 200n).toBe(true)
    // What the relay says of it is not asked: a sale that is to reduce takes no collateral.
    const sold = await taker.fillOrder({ commitment: sale })
    expect(sold).toMatchObject({ approval: null, usedPermit: false, fill: { status: 'success' } })
    expect((await taker.getBalance()) - before.balance).toBe(24_000_000n)
    expect(await own(taker)).toMatchObject({ long: before.taker.long - 200n, short: before.taker.short })
    expect((await own(maker)).long).toBe(before.maker.long + 200n)

    // The maker sells 150 of them on, and writes 50; the taker ends what it has written.
    await maker.approveInventory()
    const purchase = await commitmentOf({ ...BUY, reduceOnly: true } as OneSidedTrade)
    if (purchase.onchain === null) throw new Error('simulated')
    const then = { taker: await own(taker), maker: await own(maker), balance: await taker.getBalance() }
    const closed = await taker.fillOrder({
      commitment: { ...purchase, onchain: { ...purchase.onchain, fromInventory: contracts(150n) } },
    })
    expect(closed.fill.status).toBe('success')
    expect((await taker.getBalance()) - then.balance).toBe(200n * 550_000n - 24_000_000n)
    expect(await own(taker)).toMatchObject({ long: then.taker.long, short: then.taker.short - 200n })
    expect(await own(maker)).toMatchObject({ long: then.maker.long - 150n, short: then.maker.short + 50n })
    expect((await taker.listCostedPositions({ seriesIds: [seriesId()] }))[0]?.cost).toBeTypeOf('bigint')
  })

  test('is filled by any split that its maker can pay, and refused before anything is sent where there is none', async () => {
    const purchase = await commitmentOf(BUY)
    if (purchase.onchain === null) throw new Error('simulated')
    const commitment = {
      ...purchase,
      terms: { ...purchase.terms, inventory: true as const },
      onchain: { ...purchase.onchain, fromInventory: contracts(200n) },
    }
    await maker.revokeInventory()
    await maker.revokeApproval({ spender: 'core' })
    const sent = await sentBy(takerAccount.address)
    expect(await refusalOf(taker.fillOrder({ commitment }))).toMatchObject({ code: 'maker_insufficient_balance' })
    expect(await sentBy(takerAccount.address)).toBe(sent)
    await maker.approveSpender({ spender: 'core', amount: UNLIMITED })
    expect((await taker.fillOrder({ commitment })).fill.status).toBe('success')
  })
})

describe('the end of a series on the chain', () => {
  test('is relayed once, and pays holder and writer to the last micro-dollar', async () => {
    await warpChain(dev, 3_601)
    const attestation = {
      seriesId: seriesId(),
      resolutionBps: 59 as ResolutionBps,
      validUntil: (await readChainTime(dev)) + 900,
    }
    const typed = attestationTypedData(attestation, attestationDomain(CHAIN_ID, deployment.coreAddress))
    const prepared = { attestation, signature: await signer.signTypedData(typed) }
    expect((await taker.settleSeries({ prepared })).status).toBe('success')
    expect(await refusalOf(taker.settleSeries({ prepared }))).toMatchObject({
      errorName: 'SeriesAlreadySettled',
      code: 'series_already_settled',
      values: [{ unit: 'series' }, { unit: 'resolution', value: 59 }],
    })

    const [{ long, short } = { long: 0n, short: 0n }] = await taker.listPositions({ seriesIds: [seriesId()] })
    const before = await taker.getBalance()
    const payout = await taker.claimHolderPayout({ seriesId: seriesId() })
    expect(payout).toMatchObject({ amount: long, paid: long * 140_000n })
    const collateral = await taker.claimWriterCollateral({ seriesId: seriesId() })
    expect(collateral).toMatchObject({ amount: short, paid: short * 410_000n })
    expect((await taker.getBalance()) - before).toBe(long * 140_000n + short * 410_000n)
    expect(await taker.claimHolderPayout({ seriesId: seriesId() })).toBeNull()
    expect(await taker.claimWriterCollateral({ seriesId: seriesId() })).toBeNull()
  })

  test('pays a part of what is held when it is asked to', async () => {
    const part = await maker.claimHolderPayout({ seriesId: seriesId(), amount: contracts(50n) })
    expect(part).toMatchObject({ amount: 50n, paid: 7_000_000n })
    expect((await maker.listPositions({ seriesIds: [seriesId()] }))[0]?.long).toBe(400n)
  })

  test('lowers the cost of a position by what was claimed of it', async () => {
    const [left] = await maker.listCostedPositions({ seriesIds: [seriesId()] })
    const { long = contracts(0n), short = contracts(0n), cost } = left ?? {}
    expect(cost).toBe((long + 50n) * 120_000n + short * 430_000n - 7_000_000n)
    await maker.claimWriterCollateral({ seriesId: seriesId() })
    const [afterwards] = await maker.listCostedPositions({ seriesIds: [seriesId()] })
    expect(afterwards).toMatchObject({ long, short: 0n, cost: BigInt(cost ?? 0n) - short * 410_000n })
  })

  test('leaves no one with a cost where options went from wallet to wallet', async () => {
    const { address } = signer
    const hash = await dev.writeContract({
      address: deployment.coreAddress,
      abi: serviceCoreAbi,
      account: makerAccount.address,
      functionName: 'safeTransferFrom',
      args: [makerAccount.address, address, BigInt(seriesId()), 10n, '0x'],
    })
    await dev.waitForTransactionReceipt({ hash })
    const receiver = createTakerClient({ url: 'http://127.0.0.1:1', account: address, chain: chainSetup() })
    expect(await receiver.listCostedPositions({ seriesIds: [seriesId()] })).toMatchObject([
      { long: 10n, cost: 'moved' },
    ])
    expect(await maker.listCostedPositions({ seriesIds: [seriesId()] })).toMatchObject([{ long: 390n, cost: 'moved' }])
  })
})

test('anyone registers a package of registered legs, once; it is halted by its own name', async () => {
  const market = {
    conditionId: `0x${'22'.repeat(32)}` as const,
    yesTokenId: '22',
    expiry: (await readChainTime(dev)) + 3_600,
  }
  const legs = [
    { optionType: 'call' as const, strikeBps: 7_000 as StrikeBps, quantity: -1 },
    { optionType: 'call' as const, strikeBps: STRIKE_BPS, quantity: 1 },
  ]
  const terms = { ...market, legs }
  await expect(taker.registerPackage({ terms })).rejects.toMatchObject({ code: 'series_not_registered' })
  const [upper, lower] = [7_000, STRIKE_BPS].map((strike) => ({
    ...market,
    optionType: 'call' as const,
    strikeBps: strike as StrikeBps,
  })) as [VanillaTerms, VanillaTerms]
  const { coreAddress } = deployment
  await registerSeries(dev, { owner: accounts.deployer.address, coreAddress, series: [upper, lower] })
  const { seriesId: id, receipt } = await taker.registerPackage({ terms })
  expect(receipt?.status).toBe('success')
  expect(id).toBe(seriesIdOf({ ...terms, ...normalPackage(legs) }))
  expect(await maker.registerPackage({ terms })).toEqual({ seriesId: id, receipt: null })

  const core = { address: coreAddress, abi: serviceCoreAbi } as const
  const args = [BigInt(id)] as const
  expect(await dev.readContract({ ...core, functionName: 'maxPayoff', args })).toBe(250_000n)
  const halted = [[BigInt(seriesIdOf(upper)), BigInt(id)], true] as const
  const hash = await dev.writeContract({
    ...core,
    account: accounts.deployer.address,
    functionName: 'setHalted',
    args: halted,
  })
  await dev.waitForTransactionReceipt({ hash })
  expect(await dev.readContract({ ...core, functionName: 'getSeries', args })).toMatchObject({ halted: true })
})
