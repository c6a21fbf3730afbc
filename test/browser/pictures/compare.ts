import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Of the window's size; a kept picture is small, and still shows what moved by two pixels. */
const SCALE = 0.5

/** A channel of a pixel may differ by so much of 255, and so many pixels of a picture by more: edges are drawn a little otherwise elsewhere. */
const MOST_OF_CHANNEL = 12
const MOST_PIXELS = 40

const FONT = readFileSync(new URL('boxes.ttf', import.meta.url)).toString('base64')

/**
 * Draws each letter as a box of one size, since machines have other fonts: pictures show places, sizes and colours, and
 * no words. The policy of the pages lets no style sheet do so.
 */
export async function drawBoxes(page: Page): Promise<void> {
  await page.evaluate(async (font) => {
    const bytes = Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0))
    document.fonts.add(await new FontFace('Boxes', bytes).load())
    for (const name of ['--font', '--font-mono']) document.documentElement.style.setProperty(name, 'Boxes')
    await document.fonts.ready
  }, FONT)
}

/** What the window shows, as WebP without loss, base64. */
export async function takePicture(page: Page, canvas: Page): Promise<string> {
  const png = (await page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64')
  return canvas.evaluate(
    async ({ url, scale }) => {
      const image = new Image()
      image.src = url
      await image.decode()
      const drawn = document.createElement('canvas')
      drawn.width = image.width * scale
      drawn.height = image.height * scale
      const context = drawn.getContext('2d')
      if (context === null) throw new Error('there is no canvas')
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, drawn.width, drawn.height)
      return drawn.toDataURL('image/webp', 1).replace(/^.*,/, '')
    },
    { url: `data:image/png;base64,${png}`, scale: SCALE },
  )
}

/** How two pictures differ, as a sentence; null where they are alike. */
export async function differenceOf(canvas: Page, kept: string, drawn: string): Promise<string | null> {
  const count = await canvas.evaluate(
    async ({ urls, most }) => {
      const [one, other] = await Promise.all(
        urls.map(async (url) => {
          const image = new Image()
          image.src = url
          await image.decode()
          const context = Object.assign(document.createElement('canvas'), {
            width: image.width,
            height: image.height,
          }).getContext('2d')
          context?.drawImage(image, 0, 0)
          return context?.getImageData(0, 0, image.width, image.height)
        }),
      )
      if (one === undefined || one.data.length !== other?.data.length || one.width !== other.width) return null
      const different = new Set<number>()
      for (let at = 0; at < one.data.length; at += 1) {
        if (Math.abs((one.data[at] as number) - (other.data[at] as number)) > most) different.add(at >> 2)
      }
      return different.size
    },
    { urls: [kept, drawn].map((picture) => `data:image/webp;base64,${picture}`), most: MOST_OF_CHANNEL },
  )
  if (count === null) return 'has another size'
  return count > MOST_PIXELS ? `differs in ${count} pixels` : null
}
