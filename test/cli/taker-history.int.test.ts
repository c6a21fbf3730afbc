import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDevAccounts, type DevAccount } from '../../src/onchain/devnet/accounts.ts'
import type { Sandbox } from '../../src/relay/app/sandbox-file.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { fillOnChain } from '../support/chain-trade.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

/** Wallet of another person, who gets a share of the premium. */
const PARTNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test("a wallet's trades and claims come from the chain, in another folder and without a relay too", async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const rfqctl = (line: string, where: { cwd: string; environment?: Environment } = { cwd }) =>
    run(wordsOf(line), where)
  const json = async (line: string, where?: { cwd: string; environment?: Environment }) =>
    JSON.parse((await rfqctl(`${line} --json`, where)).stdout)
  expect((await rfqctl('taker history')).stdout).toBe('taker-1 has traded nothing\n')

  const controller = new AbortController()
  let ended: Promise<unknown> = Promise.resolve()
  onTestFinished(async () => {
    controller.abort({ kind: 'signal', signal: 'SIGTERM' })
    await ended
  })
  await new Promise<void>((resolve, reject) => {
    const makers = run(['maker', 'simulate', '--json', '--count', '1', '--strategy', 'tight'], {
      cwd,
      stop: controller.signal,
      onStdout: (text) => (text.includes('"connected"') ? resolve() : undefined),
    })
    makers.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)), reject)
    ended = makers
  })
  // Its market has ended with YES: other prices differ by the hour.
  const bought = await rfqctl(`taker buy meridian-c90 --budget 20 --wait 1ms --fill --partner-fee ${PARTNER}:25 --json`)
  expect(bought).toMatchObject({ code: 0, stderr: '' })
  const fill = JSON.parse(bought.stdout.trim().split('\n').at(-1) ?? '')
  const feesUsd = Number((BigInt(Math.round(fill.premium * 1e6)) * 25n) / 10_000n) / 1e6
  const paidUsd = expect.closeTo(fill.premium + feesUsd, 6)
  const before = await json('taker history')
  expect(before).toMatchObject({ type: 'history', complete: true, profitUsd: 0, signed: [] })
  expect(before.trades).toMatchObject([
    {
      seriesId: fill.seriesId,
      optionType: 'call',
      strikeBps: 9_000,
      side: 'long',
      state: 'open',
      contracts: fill.optionAmount,
      premiumPaidUsd: fill.premium,
      feesUsd,
      paidUsd,
      profitUsd: 0,
      costUsd: paidUsd,
      closedAt: null,
      events: [{ kind: 'bought', contracts: fill.optionAmount, feeUsd: feesUsd, paidUsd, txHash: fill.fillHash }],
    },
  ])

  await rfqctl('chain warp 15m')
  expect((await json('taker history')).trades).toMatchObject([{ state: 'expired' }])
  expect((await rfqctl('settle submit')).code).toBe(0)
  expect((await json('taker history')).trades).toMatchObject([{ state: 'claimable', profitUsd: 0 }])
  const claim = await json('claim')
  expect(claim.paid).toBeGreaterThan(0)
  const { trades, profitUsd } = await json('taker history')
  expect(trades).toMatchObject([
    {
      state: 'claimed',
      receivedUsd: claim.paid,
      paidOutUsd: claim.paid,
      costUsd: 0,
      events: [{ kind: 'bought' }, { kind: 'payout', receivedUsd: claim.paid }],
    },
  ])
  expect(profitUsd).toBeCloseTo(claim.paid - fill.premium - feesUsd, 6)
  expect(await rfqctl('taker history')).toMatchObject({
    stdout: expect.stringMatching(/claimed.*\nrealised \+\$.* on 1 trade\n$/),
  })
  expect((await json('taker history --since 2100-01-01')).trades).toEqual([])
  const csv = await rfqctl('taker history --csv')
  expect(csv.stdout.split('\r\n')).toEqual([
    expect.stringMatching(/^opened,closed,market,/),
    expect.stringContaining(`,claimed,${fill.optionAmount},`),
  ])

  const { rpcUrl, coreAddress, settlementAddress } = JSON.parse(
    readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'),
  )
  const environment = {
    RPC_URL: rpcUrl,
    CORE_ADDRESS: coreAddress,
    SETTLEMENT_ADDRESS: settlementAddress,
    CHAIN_ID: '80002',
    RFQCTL_URL: 'http://127.0.0.1:2',
  }
  const elsewhere = await json(`taker history ${before.wallet}`, { cwd: temporaryDir(), environment })
  expect(elsewhere.trades).toEqual(trades.map((trade: object) => ({ ...trade, name: null, market: null })))
})

test("profits less costs are the change of the wallet's stablecoin, after sales in part, a close and a purchase that closes", async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const json = async (line: string) => JSON.parse((await run(wordsOf(`${line} --json`), { cwd })).stdout)
  const sandbox: Sandbox = JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'))
  const { makers, takers } = createDevAccounts()
  const [maker, taker] = [makers[0], takers[0]] as [DevAccount, DevAccount]
  const { series } = await json('series list')
  const [first] = series
  const trade = (makerSelling: boolean, amount: bigint, price: bigint) =>
    fillOnChain(sandbox, {
      series: { ...first, yesTokenId: first.yesClobTokenId },
      maker,
      taker,
      makerSelling,
      amount,
      price,
    })
  const balanceOf = async (wallet: string) => (await json(`taker positions ${wallet}`)).balance
  const before = [await balanceOf(taker.address), await balanceOf(maker.address)]
  await trade(true, 200n, 100_003n)
  await trade(false, 80n, 150_001n)
  await run(wordsOf('taker close @1 --amount 30 --yes'), { cwd })
  const after = [await balanceOf(taker.address), await balanceOf(maker.address)]
  for (const [index, wallet] of [taker.address, maker.address].entries()) {
    const { trades } = await json(`taker history ${wallet}`)
    expect(trades).toHaveLength(1)
    const [{ profitUsd, costUsd, side }] = trades
    expect(side).toBe(wallet === taker.address ? 'long' : 'short')
    expect(profitUsd - costUsd).toBeCloseTo(after[index] - before[index], 6)
  }
  const [{ long, short, events, profitUsd }] = (await json(`taker history ${taker.address}`)).trades
  expect([long, short]).toEqual([170, 50])
  expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(['bought', 'wrote', 'closed'])
  // 30 pairs bring the collateral back; bought at 0.100003, written at 0.150001.
  expect(profitUsd).toBeCloseTo(30 * (0.150001 - 0.100003), 6)
})
