import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { violationsOn } from './support/axe.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { type BrowserWorld, startWorld } from './support/world.ts'

describe.skipIf(CHROMIUM === null)(`the API reference in a browser${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let world: BrowserWorld

  beforeAll(async () => {
    await buildWhenStale()
    world = await startWorld({ OPERATOR_TOKEN: 'token-of-the-operator-0123456789abcdef' })
    world.runMaker(0)
  })
  afterAll(() => world?.close())

  test('opens a request on a listed series, and watches its quotes until it is stopped', async () => {
    const { page, faults } = await browser.open()
    await page.goto(`${world.url}/reference`)
    const opening = page.locator('#openQuoteRequest')
    await opening.getByRole('button', { name: 'Try it' }).click()
    await opening.getByRole('button', { name: 'Use a listed series' }).click()
    await expect.poll(() => opening.locator('.curl').textContent()).toContain('"strikeBps"')
    const example = await opening.locator('textarea').inputValue()
    await expect.poll(() => opening.locator('textarea').inputValue()).not.toContain('0x1111')
    expect(JSON.parse(example)).toHaveProperty('option')
    await opening.getByRole('button', { name: 'Send POST' }).click()
    await opening.locator('.status', { hasText: /^200 / }).waitFor()
    const answer = JSON.parse((await opening.locator('.answer pre').textContent()) ?? '')
    expect(answer).toMatchObject({ success: true, requestId: expect.any(String) })

    const stream = page.locator('#streamBestQuote')
    await stream.getByRole('button', { name: 'Try it' }).click()
    expect(await stream.getByLabel('id path').inputValue()).toBe(answer.requestId)
    await stream.getByRole('button', { name: 'Send GET' }).click()
    await stream.locator('.events li', { hasText: 'best_quote' }).first().waitFor()
    await stream.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => stream.getByRole('button', { name: 'Send GET' }).isEnabled()).toBe(true)
    expect(faults).toEqual([])
  })

  test('asks for a credential once, keeps it in the tab alone, and shows it in no line of curl', async () => {
    const { page, context, faults } = await browser.open()
    await page.goto(`${world.url}/reference`)
    const makers = page.locator('#listMakers')
    const reviews = page.locator('#listReviews')
    for (const one of [makers, reviews]) await one.getByRole('button', { name: 'Try it' }).click()
    await makers.getByLabel('operatorToken').fill('wrong')
    await makers.getByRole('button', { name: 'Send GET' }).click()
    await makers.locator('.status', { hasText: /^401 / }).waitFor()
    await makers.getByLabel('operatorToken').fill(world.sandbox.operatorToken)
    await makers.getByLabel('operatorToken').blur()
    await expect.poll(() => reviews.getByLabel('operatorToken').inputValue()).toBe(world.sandbox.operatorToken)
    await reviews.getByRole('button', { name: 'Send GET' }).click()
    await reviews.locator('.status', { hasText: /^200 / }).waitFor()
    expect(await reviews.locator('.curl').textContent()).toBe(
      `curl -H "Authorization: Bearer $KEY" '${world.url}/ops/v1/reviews'`,
    )
    const other = await context.newPage()
    await other.goto(`${world.url}/reference`)
    expect(await other.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).toBe('[{},{}]')
    expect(faults).toEqual([])
  })

  test('sends nothing while something that must be there is missing, and says what', async () => {
    const { page } = await browser.open()
    await page.goto(`${world.url}/reference`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const series = page.locator('#getSeries')
    await series.getByRole('button', { name: 'Try it' }).click()
    await series.getByRole('button', { name: 'Send GET' }).click()
    await series.locator('.status', { hasText: 'Nothing was sent: seriesId must be given.' }).waitFor()
    expect(asked).toEqual(['/openapi.json'])
  })

  test('cuts a long answer and says so', async () => {
    const { page } = await browser.open()
    await page.goto(`${world.url}/reference`)
    const document = page.locator('#getOpenApi')
    await document.getByRole('button', { name: 'Try it' }).click()
    await document.getByRole('button', { name: 'Send GET' }).click()
    await document.getByText('The first 100 kB; the line of curl brings the whole answer.').waitFor()
    expect((await document.locator('.answer pre').textContent())?.length).toBeLessThanOrEqual(100_000)
  })

  test('filters its contents and its calls', async () => {
    const { page } = await browser.open()
    await page.goto(`${world.url}/reference`)
    await page.keyboard.press('/')
    await page.keyboard.type('faucet')
    await expect.poll(() => page.locator('article.operation:visible').count()).toBe(2)
    expect(await page.locator('#drip').isVisible()).toBe(true)
    await page.getByLabel('Filter calls').fill('')
    expect(await page.locator('#commit').isVisible()).toBe(true)
  })

  test('shows a stranger’s text as text', async () => {
    const { page, faults } = await browser.open()
    await page.goto(`${world.url}/reference`)
    const drip = page.locator('#drip')
    await drip.getByRole('button', { name: 'Try it' }).click()
    await page.route('**/faucet', (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: '{"a":"<img src=x onerror=alert(1)>"}' }),
    )
    await drip.getByRole('button', { name: 'Send POST' }).click()
    expect(await drip.locator('.answer pre').textContent()).toContain('<img src=x onerror=alert(1)>')
    expect(await drip.locator('img').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('reads the same without a script, contents and all', async () => {
    for (const width of [360, 1_280]) {
      const { page } = await browser.open({ javaScript: false, width })
      await page.goto(`${world.url}/reference`)
      expect(await page.getByRole('button').count()).toBe(0)
      expect(await page.locator('#commit .call').isVisible()).toBe(true)
      if (width < 1_000) await page.locator('nav summary').click()
      expect(await page.locator('nav a[href="#commit"]').isVisible()).toBe(true)
    }
  })

  test.each([
    ['light', 1_280],
    ['dark', 360],
  ] as const)('is accessible in %s at %i pixels, with an answer shown', async (scheme, width) => {
    const { page, faults } = await browser.open({ scheme, width })
    await page.goto(`${world.url}/reference`)
    const request = page.locator('#openQuoteRequest')
    await request.getByRole('button', { name: 'Try it' }).click()
    await request.getByRole('button', { name: 'Send POST' }).click()
    await request.locator('.status', { hasText: /^\d+ / }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('is nowhere wider than its window', async () => {
    for (const width of [360, 768, 1_280, 2_560]) {
      const { page } = await browser.open({ width })
      await page.goto(`${world.url}/reference`)
      await page.locator('#openQuoteRequest').getByRole('button', { name: 'Try it' }).click()
      await page.locator('#openQuoteRequest textarea').waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
  })
})
