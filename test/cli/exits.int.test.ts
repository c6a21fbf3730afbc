import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import type { Sandbox } from '../../src/relay/app/sandbox-file.ts'
import { fillOnChain } from '../support/chain-trade.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const { makers, takers } = createDevAccounts()
const [maker, taker] = [makers[0], takers[0]] as [(typeof makers)[number], (typeof takers)[number]]

/** A relay on its own chain, and a person beside it who says yes. `trade` fills on the chain what maker-1 and taker-1 agreed. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return 'yes'
  }
  const rfqctl = (line: string, environment: Record<string, string> = {}) =>
    run(wordsOf(line), { cwd, ask, environment })
  const json = async (line: string) =>
    JSON.parse((await rfqctl(`${line} --json`)).stdout.trim().split('\n').at(-1) ?? '')
  const sandbox: Sandbox = JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'))
  const { series } = await json('series list')
  const [first] = series
  const terms = { ...first, yesTokenId: first.yesClobTokenId }
  const trade = (makerSelling: boolean, amount: bigint, price = 100_000n) =>
    fillOnChain(sandbox, { series: terms, maker, taker, makerSelling, amount, price })
  const positionOf = async (wallet: string) => {
    const { positions } = await json(`taker positions ${wallet}`)
    return positions.map(({ long, short }: { long: number; short: number }) => ({ long, short }))
  }
  return { cwd, rfqctl, json, asked, trade, positionOf, seriesId: first.seriesId as string }
}

test('a wallet that holds and has written options closes them for their collateral, all or some, also to someone else', async () => {
  const { rfqctl, json, asked, trade, positionOf } = await open()
  expect((await rfqctl('taker close')).stderr).toContain('no series has options both held and written')
  await trade(true, 200n)
  await trade(false, 80n)
  const balance = async (wallet: string) => (await json(`taker positions ${wallet}`)).balance
  const before = await balance(taker.address)
  const closed = await rfqctl('taker close')
  expect(asked).toEqual(['close 80 options for $44.00? Type yes: '])
  expect(closed.stderr).toMatch(/80 of 80 both held and written, for \$44\.00/)
  expect(closed.stdout).toMatch(/^closed 80 \S+ for \$44\.00: 0x/)
  expect((await balance(taker.address)) - before).toBeCloseTo(44)
  expect(await positionOf(taker.address)).toEqual([{ long: 120, short: 0 }])

  const other = takers[1]?.address ?? ''
  const [otherBefore, makerBefore] = [await balance(other), await balance(maker.address)]
  expect(await json(`maker close @1 --account maker-1 --amount 30 --to ${other}`)).toMatchObject({
    type: 'closed',
    optionAmount: 30,
    paid: 16.5,
    to: other,
  })
  expect((await balance(other)) - otherBefore).toBeCloseTo(16.5)
  expect(await balance(maker.address)).toBe(makerBefore)
  const much = await rfqctl('maker close @1 --account maker-1 --amount 51')
  expect([much.code, much.stderr]).toEqual([3, expect.stringContaining('only 50 options can be closed')])
})

test('a wallet that only holds options sells them, and one that has only written some buys them back, at the best quote in one fill', async () => {
  const { cwd, rfqctl, json, asked, trade, positionOf } = await open()
  expect((await rfqctl('taker close @1')).stderr).toContain('the wallet has no call')
  await trade(true, 50n)
  const end = new AbortController()
  let makers: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const onStdout = (text: string) => text.includes('connected') && resolve()
    makers = run(['maker', 'simulate', '--count', '1'], { cwd, stop: end.signal, onStdout })
  })
  const balance = async () => (await json(`taker positions ${taker.address}`)).balance
  const before = await balance()
  expect((await rfqctl('taker close @1 --amount 51')).stderr).toContain('only 50 options can be closed')
  // A maker that a taker never asks does not hear of what it leaves, either.
  const never = { RFQCTL_EXCEPT_MAKERS: 'maker-1' }
  expect((await rfqctl('taker close @1', never)).stderr).toContain('no maker is connected')
  const only = await rfqctl('taker request @1 --budget 100 --makers maker-1', never)
  expect([only.code, only.stderr]).toEqual([2, expect.stringContaining('no maker is left to ask')])
  const sold = await rfqctl('taker close @1')
  expect(asked).toEqual([expect.stringMatching(/^sell 50 call .* for \$\d+\.\d+\? Type yes: $/)])
  expect(sold.stdout).toMatch(/filled: you sold 50 call/)
  // What it sold it held: no collateral is locked, and the premium is all that moved.
  expect(await balance()).toBeGreaterThan(before)
  expect(await positionOf(taker.address)).toEqual([])
  expect(await positionOf(maker.address)).toEqual([{ long: 50, short: 50 }])

  await trade(false, 40n)
  expect(await positionOf(taker.address)).toEqual([{ long: 0, short: 40 }])
  const closed = await rfqctl('taker close @1')
  expect(closed.stderr).not.toContain('error')
  expect(closed.stdout).toMatch(/filled: you bought back 40 call .*, and got the collateral/)
  expect(await positionOf(taker.address)).toEqual([])
  // The maker handed over what it held, and wrote nothing.
  expect(await positionOf(maker.address)).toEqual([{ long: 50, short: 50 }])
  end.abort({ kind: 'signal', signal: 'SIGTERM' })
  await makers
})

test('everything that is owed is claimed in one transaction, also for someone else', async () => {
  const { rfqctl, json, asked, trade, seriesId } = await open()
  await trade(true, 20n, 100_001n)
  await trade(false, 30n)
  await rfqctl('chain warp 1h')
  const waits = await rfqctl('claim')
  expect(waits).toMatchObject({
    code: 0,
    stdout: 'taker-1 has nothing to claim: 1 expired position waits for its settlement\n',
    stderr: expect.stringMatching(/^\S+: expired, and not settled yet\nNext: .* rfqctl settle run --once\n$/),
  })
  await rfqctl(`settle submit ${seriesId}`)
  const other = takers[1]?.address ?? ''
  const { balance: before } = await json(`taker positions ${other}`)
  const claimed = await rfqctl(`claim --to ${other} --json`)
  expect(claimed.code).toBe(0)
  const [preview, ...claims] = claimed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(asked).toHaveLength(1)
  expect(preview).toMatchObject({ type: 'preview', of: 'claim', to: other })
  expect(new Set(claims.map(({ txHash }) => txHash)).size).toBe(1)
  const paid = claims.reduce((sum, claim) => sum + claim.paid, 0)
  expect((await json(`taker positions ${other}`)).balance - before).toBeCloseTo(paid)
  const nothing = await rfqctl('claim')
  expect(nothing).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^taker-1 has nothing to claim: no position pays in \d+ settled series\n$/),
  })
  expect(await json('claim')).toEqual({ type: 'claim', claims: [] })
  expect(await rfqctl('claim @1')).toMatchObject({ code: 3, stdout: '' })
  const own = await rfqctl('claim --account maker-1')
  expect([own.code, asked.length]).toEqual([0, 1])
  expect(own.stderr).toMatch(/^maker-1 received \$\d+\.\d\d and now has \$[\d,]+\.\d\d\n$/)
})

test('a multi-signature wallet gets the call that closes its position, and its key is not asked for', async () => {
  const { rfqctl, trade, positionOf } = await open()
  await trade(true, 20n)
  await trade(false, 20n)
  const { code, stdout, stderr } = await rfqctl(`taker close --calldata --from ${taker.address}`)
  expect({ code, refused: stderr.includes('refused') }).toEqual({ code: 0, refused: false })
  expect(JSON.parse(stdout)).toMatchObject({
    meta: { name: 'close 20 options for $11.00' },
    transactions: [{ value: '0' }],
  })
  expect(await positionOf(taker.address)).toEqual([{ long: 20, short: 20 }])
})

test('a maker cancels every order that is still open, and sees before what it voids', async () => {
  const { rfqctl, json, asked } = await open()
  expect((await rfqctl('maker cancel-all')).stderr).toContain('no signed order is open')
  await json('taker request @1 --budget 100')
  await json('maker quote --price 0.2 --size 1000')
  const confirming = json('maker confirm --wait 20s')
  expect((await rfqctl('taker commit --json')).code).toBe(0)
  const { nonce } = { ...(await confirming), ...(await json('maker history')) }
  asked.length = 0
  const cancelled = await rfqctl('maker cancel-all')
  expect(asked).toEqual([`cancel every order with nonce ${nonce} to ${nonce}? Type yes: `])
  expect(cancelled.stderr).toContain(`sells 500 for $100.00, taker ${taker.address} (taker-1), until`)
  expect(cancelled.stdout).toMatch(new RegExp(`^cancelled nonces ${nonce} to ${nonce}: 0x`))
  const fill = await rfqctl('taker fill')
  expect([fill.code, fill.stderr]).toEqual([8, expect.stringContaining('its maker cancelled it')])
  expect((await rfqctl(`maker cancel-nonce ${nonce}`)).stderr).toContain('NonceUsed')

  expect((await rfqctl('maker cancel-all --first 9 --last 7')).stderr).toContain('--first is after --last')
  expect((await rfqctl('maker cancel-all --first 500 --last 700')).code).toBe(0)
  expect((await rfqctl('maker cancel-nonce 600')).stderr).toContain('NonceUsed')
  expect((await rfqctl('maker cancel-nonce 701')).code).toBe(0)
})
