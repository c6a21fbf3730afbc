import { describe, expect, test } from 'vitest'
import { PICTURES } from './gallery/pictures.ts'
import { violationsOn } from './support/axe.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { hiddenControls } from './support/hidden-controls.ts'
import { useGallery } from './support/use-gallery.ts'

/** A telephone, a tablet, and desks: 1,440 is the most common of them. */
const WIDTHS = [360, 768, 1_280, 1_440, 2_560]

describe.skipIf(CHROMIUM === null)(`every state of the pages${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  const gallery = useGallery()

  test.each(['light', 'dark'] as const)(
    'is accessible in %s, on a desk and on a telephone',
    { timeout: 600_000 },
    async (scheme) => {
      const { page, faults } = await browser.open({ scheme, width: scheme === 'light' ? 1_280 : 360 })
      const found: Record<string, string[]> = {}
      for (const { name } of PICTURES) {
        await page.goto(`${gallery.url}/?state=${name}`)
        await page.locator('main').waitFor()
        const violations = await violationsOn(page)
        if (violations.length > 0) found[name] = violations
      }
      expect(found).toEqual({})
      expect(faults).toEqual([])
    },
  )

  test('is nowhere wider than its window', { timeout: 300_000 }, async () => {
    const { page } = await browser.open()
    const wide: string[] = []
    for (const { name } of PICTURES) {
      await page.goto(`${gallery.url}/?state=${name}`)
      await page.locator('main').waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (over > 0) wide.push(`${name} by ${over} at ${width}`)
      }
    }
    expect(wide).toEqual([])
  })

  test('covers and clips no control', { timeout: 600_000 }, async () => {
    const { page } = await browser.open()
    const hidden: Record<string, string[]> = {}
    for (const { name } of PICTURES) {
      await page.goto(`${gallery.url}/?state=${name}`)
      await page.locator('main').waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate(hiddenControls)
        if (found.length > 0) hidden[`${name} at ${width}`] = found
      }
    }
    expect(hidden).toEqual({})
  })

  test('shows strangers’ texts as texts', async () => {
    const { page } = await browser.open()
    for (const name of ['operate-hostile-texts', 'trade-ready']) {
      await page.goto(`${gallery.url}/?state=${name}`)
      await page.locator('main').waitFor()
      expect(await page.locator('main :is(b, img, script)').count()).toBe(0)
    }
  })
})
