import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWebFiles } from '../../src/relay/app/web-files.ts'
import { ASSETS_PATH } from '../../src/relay/server/pages/files.ts'
import { buildWhenStale } from '../kit/build.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { type OperatorFeed, startOperatorFeed } from './support/operator-feed.ts'

/** Bytes of a first load, as gzip. */
const MOST = 250_000

describe.skipIf(CHROMIUM === null)(`the first load of a page${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let feed: OperatorFeed

  beforeAll(async () => {
    await buildWhenStale()
    feed = await startOperatorFeed()
  })
  afterAll(() => feed?.close())

  test.each([
    ['/', 'rfqctl', 'OperatePage'],
    ['/desk', 'rfqctl operate', 'TradePage'],
  ])('%s is bounded, and has no code of the other page', async (path, title, other) => {
    const { page } = await browser.open()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await page.goto(feed.url + path)
    await page.locator('main').waitFor()
    expect(await page.title()).toBe(title)
    const names = loaded.filter((each) => each.startsWith(ASSETS_PATH)).map((each) => each.replace(ASSETS_PATH, ''))
    expect(names.length).toBeGreaterThan(2)
    expect(names.filter((name) => name.startsWith(other))).toEqual([])
    const files = readWebFiles()
    const bytes = names.map((name) => files?.assets.get(name)?.gzip.length ?? Number.NaN)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(MOST)
  })

  test('on a slow network there is a page before its script is there', async () => {
    const { page } = await browser.open()
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    await page.route('**/*.js', async (route) => {
      await arrived
      await route.continue()
    })
    await page.goto(feed.url, { waitUntil: 'commit' })
    await page.getByText('rfqctl', { exact: true }).waitFor()
    await page.locator('.skeleton').first().waitFor()
    expect(await page.locator('main').count()).toBe(0)
    arrive()
    await page.locator('main').waitFor()
  })
})
