import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { differenceOf, drawBoxes, takePicture } from './pictures/compare.ts'
import { SHOTS, type Shot } from './pictures/shots.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { useGallery } from './support/use-gallery.ts'

const FOLDER = fileURLToPath(new URL('pictures/', import.meta.url))

/** `npx vitest run test/browser/pictures.test.ts --update` accepts what the pages show now. */
const isAccepting = (): boolean => expect.getState().snapshotState.snapshotUpdateState === 'all'

describe.skipIf(CHROMIUM === null)(`the pictures of the pages${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  const gallery = useGallery()

  async function show(page: Page, { state, width }: Shot): Promise<void> {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${gallery.url}/?state=${state}`)
    await page.locator('main').waitFor()
    await drawBoxes(page)
  }

  test.each(['light', 'dark'] as const)('are those that were accepted, in %s', { timeout: 300_000 }, async (scheme) => {
    const { page, context } = await browser.open({ scheme })
    const canvas = await context.newPage()
    const changed: string[] = []
    for (const shot of SHOTS) {
      const name = `${shot.state}-${shot.width}-${scheme}.webp`
      await show(page, shot)
      const drawn = await takePicture(page, canvas)
      const path = join(FOLDER, name)
      const kept = existsSync(path) ? readFileSync(path).toString('base64') : null
      const difference = kept === null ? 'is new' : await differenceOf(canvas, kept, drawn)
      if (difference === null) continue
      const at = isAccepting() ? path : join(tmpdir(), name)
      writeFileSync(at, Buffer.from(drawn, 'base64'))
      if (!isAccepting()) changed.push(`${name} ${difference}: ${at}`)
    }
    expect(changed).toEqual([])
  })

  test('tell a button that moved by four pixels, and a colour that is a little lighter', async () => {
    const { page, context } = await browser.open()
    const canvas = await context.newPage()
    await show(page, { state: 'trade-ready', width: 1_280 })
    const before = await takePicture(page, canvas)
    const changedBy = async (property: string, value: string): Promise<string | null> => {
      const button = page.locator('.button-primary').first()
      await button.evaluate((element, [name, to]) => (element as HTMLElement).style.setProperty(name, to), [
        property,
        value,
      ] as const)
      const difference = await differenceOf(canvas, before, await takePicture(page, canvas))
      await button.evaluate((element, name) => (element as HTMLElement).style.removeProperty(name), property)
      return difference
    }
    expect(await differenceOf(canvas, before, await takePicture(page, canvas))).toBeNull()
    expect(await changedBy('translate', '0 4px')).toMatch(/differs/)
    expect(await changedBy('background-color', '#5a54e4')).toMatch(/differs/)
    expect(await differenceOf(canvas, before, await takePicture(page, canvas))).toBeNull()
  })
})
