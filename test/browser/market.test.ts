import { describe, expect, test } from 'vitest'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { useGallery } from './support/use-gallery.ts'

describe.skipIf(CHROMIUM === null)(`markets in a browser${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  const gallery = useGallery()

  test.each([360, 1_440])('a word opens its meaning within the window at %i, and Escape closes it', async (width) => {
    const { page } = await browser.open({ width })
    await page.goto(`${gallery.url}/?state=trade-a-market-that-is-known`)
    const words = page.locator('.word:visible')
    expect(await words.count()).toBeGreaterThan(5)
    for (const word of await words.all()) {
      await word.focus()
      await page.keyboard.press('Enter')
      const meaning = page.locator('.word-meaning:popover-open')
      const box = await meaning.boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? width) + (box?.width ?? width)).toBeLessThanOrEqual(width)
      await page.keyboard.press('Escape')
      expect(await meaning.count()).toBe(0)
    }
  })

  test('one of five hundred markets is found and reached without a mouse', async () => {
    const { page } = await browser.open({ width: 1_440 })
    await page.goto(`${gallery.url}/?state=trade-five-hundred-markets`)
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    const search = page.getByLabel('Find one of 500 markets')
    await search.focus()
    await page.keyboard.type('rain 27')
    expect(await page.locator('.market').count()).toBe(7)
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('Will rain fall in June in district 27?')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('district 127?')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true)
    await search.fill('')
    await page.getByRole('button', { name: '460 more' }).click()
    expect(await page.locator('.market').count()).toBe(80)
    await page.getByLabel('Sort by').selectOption('name')
    expect(await page.locator('.market').first().textContent()).toContain('district 102?')
  })
})
