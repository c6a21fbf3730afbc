import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRequestedOption, usd6 } from '../../src/client/index.ts'
import { buildWhenStale } from '../kit/build.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { type BrowserWorld, startWorld } from './support/world.ts'

const TOKEN = 'token-of-the-operator-0123456789abcdef'

describe.skipIf(CHROMIUM === null)(`the operator's page in a browser${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let world: BrowserWorld

  beforeAll(async () => {
    await buildWhenStale()
    world = await startWorld({ OPERATOR_TOKEN: TOKEN })
    world.runMaker(0)
  })
  afterAll(() => world?.close())

  /** A request of a taker of the sandbox that waits for its taker. */
  async function openRequest(): Promise<string> {
    const [owner] = world.sandbox.takers
    if (owner === undefined) throw new Error('the sandbox has no taker')
    const taker = world.takerOf(owner)
    const [series] = await taker.listSeries({ settled: false })
    if (series === undefined) throw new Error('no series is listed')
    const { conditionId, yesTokenId } = series
    const { requestId } = await taker.openQuoteRequest({
      market: { conditionId, yesTokenId },
      option: toRequestedOption(series),
      trade: { side: 'buy', budget: usd6(100_000_000n) },
    })
    return requestId
  }

  test('takes its token out of the address, and keeps it in the tab alone', async () => {
    const { page, context, faults } = await browser.open()
    await page.goto(`${world.url}/desk#token=${TOKEN}`)
    await page.getByText('● live').waitFor()
    expect(page.url()).toBe(`${world.url}/desk`)
    await page.reload()
    await page.getByText('● live').waitFor()
    const other = await context.newPage()
    await other.goto(`${world.url}/desk`)
    await other.getByLabel('Operator token').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.reload()
    await page.getByLabel('Operator token').waitFor()
    expect(faults).toEqual([])
  })

  test('says that a token is refused, and takes another', async () => {
    const { page } = await browser.open()
    await page.goto(`${world.url}/desk`)
    await page.getByLabel('Operator token').fill('wrong')
    await page.getByRole('button', { name: 'Watch this relay' }).click()
    await page.getByText('The relay did not accept the operator token.').waitFor()
    await page.getByLabel('Operator token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await page.getByText('● live').waitFor()
  })

  test('shows a request, its quotes and its life, by the keys of the terminal', async () => {
    const { page, context, faults } = await browser.open()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${world.url}/desk#token=${TOKEN}`)
    const requestId = await openRequest()
    const row = page.getByRole('row', { name: requestId.slice(0, 8) })
    await row.getByText('quoted').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/a taker asks: buy/).waitFor()
    await page
      .getByText(/ quotes \$0\./)
      .first()
      .waitFor()
    await page.keyboard.press('y')
    await page.getByText(`copied: ${requestId}`).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(requestId)
    await page.keyboard.press('Escape')

    for (const [i, name] of ['Requests', 'Makers', 'Confirmations', 'Settlement', 'Events', 'Health'].entries()) {
      await page.keyboard.press(String(i + 1))
      await page.getByRole('tab', { name, selected: true }).waitFor()
    }
    await page.getByText('event loop').waitFor()
    expect(faults).toEqual([])
  })

  test('filters while one types, and does not change while it is paused', async () => {
    const { page, faults } = await browser.open()
    const first = await openRequest()
    await page.goto(`${world.url}/desk#token=${TOKEN}`)
    await page.getByRole('row', { name: first.slice(0, 8) }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('nothing like it')
    await page.getByText('No request matches "nothing like it".').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: first.slice(0, 8) }).waitFor()

    await page.keyboard.press('p')
    await page.getByText(/paused at/).waitFor()
    const second = await openRequest()
    await page.getByText(/[1-9]\d* events? behind/).waitFor()
    expect(await page.getByRole('row', { name: second.slice(0, 8) }).count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('row', { name: second.slice(0, 8) }).waitFor()
    expect(faults).toEqual([])
  })

  test('dims what it knew of a relay that is gone, and says when it tries again', async () => {
    const { page } = await browser.open()
    const requestId = await openRequest()
    await page.goto(`${world.url}/desk#token=${TOKEN}`)
    await page.getByRole('row', { name: requestId.slice(0, 8) }).waitFor()
    await world.app.close()
    await page.getByText(/relay lost .* ago, trying again in/).waitFor()
    expect(await page.locator('.stale').getByText(requestId.slice(0, 8)).count()).toBeGreaterThan(0)
  })
})
