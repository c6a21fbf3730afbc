import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { TakerClient } from '../../src/client/index.ts'
import type { SandboxWallet } from '../../src/relay/app/sandbox-file.ts'
import { buildWhenStale } from '../kit/build.ts'
import { CHROMIUM, CHROMIUM_HINT, type TestPage, useBrowser } from './support/chromium.ts'
import { countIn, dollarsIn, onTradePage, pressByKey, type TradePage } from './support/trade-page.ts'
import { type PageWallet, WALLET_NAME } from './support/wallet.ts'
import { type BrowserWorld, startWorld } from './support/world.ts'

describe.skipIf(CHROMIUM === null)(`trading in a browser, on a chain${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let world: BrowserWorld
  let owner: SandboxWallet
  let wallet: PageWallet
  let chain: TakerClient
  let trade: TradePage
  let opened: TestPage

  beforeAll(async () => {
    await buildWhenStale()
    world = await startWorld({
      MAKER_CONFIRMATION_MS: '2000',
      UNPROVEN_CONFIRMATION_MS: '2000',
      TRANSPARENCY_LOG: 'on',
    })
    world.runMaker(0)
    world.runMaker(1)
  })
  afterAll(() => world?.close())

  let count = 0
  beforeEach(async () => {
    owner = world.sandbox.takers[count % world.sandbox.takers.length] as SandboxWallet
    count += 1
    wallet = world.walletOf(owner)
    chain = world.takerOf(owner)
    opened = await browser.open({ prepare: wallet.inject, width: 1_440 })
    trade = onTradePage(opened.page)
    await trade.open(`${world.url}/`)
  })

  /** What the wallet has in the series that the page trades. */
  const holdingOf = async () => {
    const positions = await chain.listPositions()
    return positions.map(({ long, short }) => ({ long, short }))
  }

  /** Fills what is on the ticket, and tells what the page says of it. */
  async function askAndTake(verb: 'Buy' | 'Sell'): Promise<string> {
    await trade.press('Ask for quotes')
    await trade.press(new RegExp(`^${verb} [\\d,]+ for \\$`))
    return trade.reads(/^You have (bought|sold) /)
  }

  test('a purchase costs and brings what the page says', async () => {
    await trade.connect()
    const [dollars, before] = [await chain.getBalance(), await holdingOf()]
    await trade.choose('Call')
    const said = await askAndTake('Buy')
    const [amount, paid] = [countIn(said), dollarsIn(said.split(' for ')[1] ?? '')]
    expect(amount).toBeGreaterThan(0n)
    expect(paid).toBeLessThanOrEqual(250_000_000n)
    expect(await chain.getBalance()).toBe(dollars - paid)
    const after = await holdingOf()
    expect(sumOf(after).long - sumOf(before).long).toBe(amount)
    expect(opened.faults).toEqual([])
  })

  test('the page shows how the price of a trade was found, after a check in the browser', async () => {
    await trade.connect()
    await askAndTake('Buy')
    await trade.page.getByText('How this price was found').click()
    // Entries are numbered once a second: before that, the relay says that the record is not ready.
    const isTrue = trade.page.getByText('The record of this trade is true.')
    await expect
      .poll(
        async () => {
          if ((await isTrue.count()) === 0) await trade.press('Check it')
          await trade.reads(/^The record of this trade is true\.$|not in the log yet\.$/)
          return isTrue.count()
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(1)
    const rows = await trade.panel.getByRole('row').allTextContents()
    expect(rows.filter((row) => row.endsWith('signed'))).toHaveLength(1)
    await trade.page.getByText('Makers of these quotes').click()
    await trade.press(/^Never ask this maker: /)
    await trade.panel.getByRole('button', { name: /^Ask it again: / }).waitFor()
    expect(opened.faults.filter((fault) => !fault.includes('409'))).toEqual([])
  })

  test('a sale locks and brings what the page says', async () => {
    await trade.connect()
    const [dollars, before] = [await chain.getBalance(), await holdingOf()]
    await trade.choose('Call')
    await trade.page.getByText('Sell', { exact: true }).first().click()
    await trade.panel.locator('input[inputmode="numeric"]').fill('40')
    const said = await askAndTake('Sell')
    expect(countIn(said)).toBe(40n)
    const got = dollarsIn(said.split(' for ')[1] ?? '')
    const after = await holdingOf()
    expect(sumOf(after).short - sumOf(before).short).toBe(40n)
    const locked = dollars + got - (await chain.getBalance())
    expect(locked).toBeGreaterThan(0n)
    expect(locked % 40n).toBe(0n)
    expect(opened.faults).toEqual([])
  })

  test('a request for both sides shows two prices, and is taken on the side that is chosen, by keyboard', async () => {
    await trade.connect()
    const { page, panel } = trade
    const before = sumOf(await holdingOf())
    await trade.choose('Call')
    await panel.getByRole('radio', { name: 'Buy', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await panel.getByRole('radio', { name: 'Both' }).isChecked()).toBe(true)
    await panel.getByLabel('Buy or sell').fill('40')
    await pressByKey(page, /^Ask for quotes/)
    const sides = panel.getByRole('group', { name: 'Your side' }).getByRole('button')
    await sides.first().waitFor()
    const [bid = 0n, ask = 0n] = (await sides.allTextContents()).map(dollarsIn)
    expect(bid).toBeGreaterThan(0n)
    expect(bid).toBeLessThan(ask)
    expect(await panel.textContent()).not.toMatch(/You (pay|get)/)
    await pressByKey(page, /^Buy at \$/)
    await trade.reads(/^Buy 40 for \$/)
    await pressByKey(page, /^Back to both prices/)
    await pressByKey(page, /^Sell at \$/)
    await pressByKey(page, /^Sell 40 for \$/)
    expect(countIn(await trade.reads(/^You have sold /))).toBe(40n)
    expect(sumOf(await holdingOf()).short - before.short).toBe(40n)
    expect(opened.faults).toEqual([])
  })

  test('a package that no one has traded is registered, and filled as one', async () => {
    await trade.connect()
    await trade.page.locator('.choice').getByText('Package').click()
    await trade.press('Call spread')
    const before = await chain.listSeries({ packages: true })
    const said = await askAndTake('Buy')
    expect(said).toContain('Call spread')
    const listed = await chain.listSeries({ packages: true })
    expect(listed.length).toBe(before.length + 1)
    expect(sumOf(await holdingOf()).long).toBeGreaterThanOrEqual(countIn(said))
    expect(opened.faults).toEqual([])
  })

  test('a maker that does not sign is passed over, within the limits that the page was given', async () => {
    const stop = world.runMaker(2, { signing: 'silent', halfSpread: 0.0001, improvements: 0 })
    onTestFinished(stop)
    await trade.connect()
    await trade.choose('Call')
    await trade.press('Ask for quotes')
    await trade.reads(/the best of [3-9] quotes/)
    // The next maker asks more: within the price that is shown there is no one else to ask.
    await trade.page.getByText('Limits and payment').click()
    await trade.page.getByLabel('Highest price of an option').fill('0.5')
    await trade.press(/^Buy [\d,]+ for \$/)
    const said = await trade.reads(/^You have bought /)
    expect(countIn(said)).toBeGreaterThan(0n)
    const headers = { authorization: `Bearer ${world.sandbox.operatorToken}` }
    expect(await (await fetch(`${world.url}/ops/v1/makers`, { headers })).text()).toMatch(/"missed":[1-9]/)
  })

  test('an owner who refuses sees so, loses nothing, and can pay after all', async () => {
    await trade.connect()
    const dollars = await chain.getBalance()
    await trade.choose('Call')
    await trade.press('Ask for quotes')
    wallet.answers = 'rejects'
    await trade.press(/^Buy [\d,]+ for \$/)
    await trade.reads(/^Signed, not paid$/)
    expect(await chain.getBalance()).toBe(dollars)
    wallet.answers = 'approves'
    await trade.press(/^Sign and fill/)
    await trade.reads(/^You have bought /)
    expect(await chain.getBalance()).toBeLessThan(dollars)
  })

  test('all of it can be done by keyboard alone', async () => {
    const { page } = trade
    const before = sumOf(await holdingOf())
    await pressByKey(page, /^Connect a wallet/)
    await pressByKey(page, new RegExp(WALLET_NAME))
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await pressByKey(page, /^Call .*if YES stays/)
    await pressByKey(page, /^Ask for quotes/)
    await page.getByRole('button', { name: /^Buy [\d,]+ for \$/ }).waitFor()
    await pressByKey(page, /^Buy [\d,]+ for \$/)
    const said = await trade.reads(/^You have bought /)
    expect(sumOf(await holdingOf()).long - before.long).toBe(countIn(said))
    expect(opened.faults).toEqual([])
  })

  test('a wallet on another chain is asked to switch, and trades then', async () => {
    const { chainId } = world.sandbox
    wallet.chainId = 1
    await trade.connect()
    await trade.reads(new RegExp(`^Your wallet is on chain 1, and this relay settles on chain ${chainId}`))
    await trade.choose('Call')
    wallet.answers = 'rejects'
    await trade.press(`Switch to chain ${chainId}`)
    await trade.reads(/rejected the request/)
    wallet.answers = 'approves'
    await trade.press(`Switch to chain ${chainId}`)
    expect(await askAndTake('Buy')).toContain('You have bought')
    expect(wallet.chainId).toBe(chainId)
    expect(opened.faults).toEqual([])
  })

  test('a reload loses no open request', async () => {
    await trade.connect()
    await trade.choose('Call')
    await trade.press('Ask for quotes')
    await trade.reads(/^Quotes racing$/)
    await trade.page.reload()
    await trade.press(/^Buy [\d,]+ for \$/)
    await trade.reads(/^You have bought /)
  })

  test('another browser shows what the wallet has traded, and saves it as a file', async () => {
    await trade.connect()
    await trade.choose('Call')
    const bought = countIn(await askAndTake('Buy'))
    const other = await browser.open({ prepare: wallet.inject, width: 1_440 })
    await other.page.goto(`${world.url}/history`)
    await onTradePage(other.page).connect()
    const line = other.page.locator('#mine .position').first()
    await line.waitFor()
    await line.locator('summary').click()
    expect(await line.locator('li').last().innerText()).toContain(`bought ${bought.toLocaleString('en')}, paid $`)
    const hash = (await line.locator('.hex').last().textContent()) ?? ''
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    const [file] = await Promise.all([
      other.page.waitForEvent('download'),
      other.page.getByRole('link', { name: 'Save as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^rfqctl-0x[0-9a-fA-F]{40}\.csv$/)
    expect(readFileSync(await file.path(), 'utf8')).toContain(hash)
    await other.page.reload()
    await line.waitFor()
    expect(new URL(other.page.url()).pathname).toBe('/history')
    expect(other.faults).toEqual([])
  })

  test('a tab out of sight says a fill in its title, and the browser once, where its owner wants that', async () => {
    const { page } = trade
    await page.evaluate(watchNotices)
    await trade.connect()
    await trade.press('Notify me')
    await trade.reads(/^The browser notifies you of fills/)
    await trade.choose('Call')
    await trade.press('Ask for quotes')
    await page
      .getByRole('button', { name: /^Buy [\d,]+ for \$/ })
      .and(page.locator(':enabled'))
      .first()
      .waitFor()
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }))
    await trade.press(/^Buy [\d,]+ for \$/)
    await expect.poll(() => page.title(), { timeout: 20_000 }).toMatch(/^You have bought /)
    const said = await page.title()
    expect(await page.evaluate(() => (window as never as { notices: string[] }).notices)).toEqual([said])
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    expect(await page.title()).toBe('rfqctl')
    expect(opened.faults).toEqual([])
  })

  test('a bought option is settled and paid out, to the dollar that the page says', async () => {
    await trade.connect()
    await trade.choose('Call')
    await askAndTake('Buy')
    await trade.press(/^Go to expiry/)
    await trade.panel.getByRole('button', { name: 'Settle', exact: true }).click()
    const said = await trade.reads(/^Settled at /)
    if (!said.includes('pays nothing')) {
      const dollars = await chain.getBalance()
      const due = dollarsIn(said.split(': ')[1] ?? '')
      await trade.panel.getByRole('button', { name: /^Claim/ }).click()
      await expect.poll(() => chain.getBalance()).toBe(dollars + due)
    }
    expect(opened.faults).toEqual([])
  })
})

/** Stands in for the notifications of a browser without a head, whose owner allows them. Runs in the page. */
function watchNotices(): void {
  const notices: string[] = []
  class Shown {
    static permission = 'default'
    static async requestPermission(): Promise<string> {
      Shown.permission = 'granted'
      return Shown.permission
    }
    constructor(_: string, { body }: { body: string }) {
      notices.push(body)
    }
  }
  Object.assign(window, { Notification: Shown, notices })
}

const sumOf = (positions: readonly { long: bigint; short: bigint }[]) => ({
  long: positions.reduce((sum, { long }) => sum + long, 0n),
  short: positions.reduce((sum, { short }) => sum + short, 0n),
})
