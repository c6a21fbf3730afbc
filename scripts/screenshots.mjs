/**
 * Takes the pictures of docs/web: every sample state of the pages at every width, by day and by night, and the page that lists
 * them. Needs Chromium. `node scripts/screenshots.mjs [NAME…]` takes only those whose name begins with one of the words.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { openGallery } from './gallery.mjs'

const OUT = fileURLToPath(new URL('../docs/web/', import.meta.url))

/** Width, the least height, and the most of a long page that is shown, in pixels; wide pages are drawn smaller. */
const SIZES = [
  { width: 360, height: 720, most: 1_600, scale: 1 },
  { width: 768, height: 900, most: 1_600, scale: 0.75 },
  { width: 1_280, height: 800, most: 1_400, scale: 0.75 },
  { width: 2_560, height: 1_300, most: 1_600, scale: 0.4 },
]
const SCHEMES = /** @type {const} */ (['light', 'dark'])
const QUALITY = 30

/** The states of the reference page: how to get there from its top. */
const REFERENCE = {
  'reference-top': async () => {},
  'reference-call': async (/** @type {import('playwright-core').Page} */ page) => jumpTo(page, 'openQuoteRequest'),
  'reference-tried': async (/** @type {import('playwright-core').Page} */ page) => {
    const call = page.locator('#getTime')
    await call.getByRole('button', { name: 'Try it' }).click()
    await call.getByRole('button', { name: 'Send GET' }).click()
    await call.locator('.status', { hasText: '200' }).waitFor()
    // How long it took would be another picture each time.
    await call.locator('.status').evaluate((status) => (status.textContent = '200 OK in 3 ms'))
    await jumpTo(page, 'getTime')
  },
}

const jumpTo = (/** @type {import('playwright-core').Page} */ page, /** @type {string} */ id) =>
  page.evaluate((target) => document.getElementById(target)?.scrollIntoView(), id)

const wanted = process.argv.slice(2)
const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word))

const gallery = await openGallery()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
try {
  const names = await namesOf()
  mkdirSync(OUT, { recursive: true })
  if (wanted.length === 0) for (const file of readdirSync(OUT)) if (file.endsWith('.webp')) rmSync(join(OUT, file))
  for (const scheme of SCHEMES) for (const size of SIZES) await takeAll(names.filter(isWanted), { ...size, scheme })
  writeFileSync(join(OUT, 'README.md'), indexOf(names))
} finally {
  await browser.close()
  await gallery.close()
}

async function namesOf() {
  const page = await browser.newPage()
  await page.goto(gallery.url)
  const names = await page.locator('li a').allTextContents()
  await page.close()
  return [...names, ...Object.keys(REFERENCE)]
}

/** @param {string[]} names @param {{ width: number, height: number, most: number, scale: number, scheme: 'light' | 'dark' }} at */
async function takeAll(names, { width, height, most, scale, scheme }) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  for (const name of names) {
    let shown = height
    await page.setViewportSize({ width, height })
    const steps = /** @type {Record<string, (page: import('playwright-core').Page) => Promise<void>>} */ (REFERENCE)[
      name
    ]
    await page.goto(steps === undefined ? `${gallery.url}/?state=${name}` : `${gallery.url}/reference`)
    await page.waitForFunction('document.querySelector("main") !== null && document.fonts.status === "loaded"')
    await steps?.(page)
    if (steps === undefined) {
      const full = Number(await page.evaluate('document.documentElement.scrollHeight'))
      shown = Math.min(most, Math.max(height, full))
      await page.setViewportSize({ width, height: shown })
    }
    const y = Number(await page.evaluate('scrollY'))
    const clip = { x: 0, y, width, height: shown, scale }
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip })
    writeFileSync(join(OUT, `${name}-${width}-${scheme}.webp`), Buffer.from(data, 'base64'))
  }
  await context.close()
}

/** The page that lists them. @param {string[]} names */
function indexOf(names) {
  const cell = (/** @type {string} */ name, /** @type {number} */ width) =>
    SCHEMES.map((scheme) => `[${scheme}](${name}-${width}-${scheme}.webp)`).join(' ')
  const rows = names.map((name) => `| ${name} | ${SIZES.map(({ width }) => cell(name, width)).join(' | ')} |`)
  return `# Pictures of the pages

Every state that the pages draw on purpose, at widths from a telephone's to a wall's, by day and by night.
\`npm run screenshots\` takes them from the sample states of the tests; this page is generated by it.

| state | ${SIZES.map(({ width }) => `${width} px`).join(' | ')} |
| --- | ${SIZES.map(() => '---').join(' | ')} |
${rows.join('\n')}
`
}
