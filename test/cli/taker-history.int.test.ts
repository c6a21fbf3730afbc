import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Environment } from '../../src/relay/config/sources.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

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
  const bought = await rfqctl('taker buy meridian-c90 --budget 20 --wait 1ms --fill --json')
  expect(bought).toMatchObject({ code: 0, stderr: '' })
  const fill = JSON.parse(bought.stdout.trim().split('\n').at(-1) ?? '')
  const before = await json('taker history')
  expect(before).toMatchObject({ type: 'history', complete: true, signed: [] })
  expect(before.entries).toMatchObject([
    {
      kinds: ['bought'],
      seriesId: fill.seriesId,
      state: 'open',
      contracts: fill.optionAmount,
      premiumUsd: fill.premium,
      paidUsd: fill.premium,
      profitUsd: null,
      txHash: fill.fillHash,
    },
  ])

  await rfqctl('chain warp 15m')
  expect((await rfqctl('settle submit')).code).toBe(0)
  const claim = await json('claim')
  expect(claim.paid).toBeGreaterThan(0)
  const { entries } = await json('taker history')
  expect(entries).toMatchObject([
    { kinds: ['payout'], state: 'settled', paidUsd: -claim.paid, premiumUsd: null },
    { kinds: ['bought'], txHash: fill.fillHash, profitUsd: null },
  ])
  expect(entries[0].profitUsd).toBeCloseTo(claim.paid - fill.premium, 6)

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
  const withoutNames = entries.map((entry: object) => ({ ...entry, name: null, state: null }))
  expect(elsewhere.entries).toEqual(withoutNames)
})
