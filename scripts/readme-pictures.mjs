/**
 * Takes the three pictures of the README into docs/pictures, of a market that runs: the trade page while quotes race, the same on
 * a telephone, and the dashboard of a busy market. Needs a build, Chromium and tmux.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const OUT = join(ROOT, 'docs', 'pictures')
const PROGRAM = join(ROOT, 'bin', 'rfqctl.js')
const QUALITY = 60

const PAGES = [
  { name: 'trade', width: 1_440, height: 900 },
  { name: 'phone', width: 390, height: 844 },
]
const TERMINAL = { columns: 110, rows: 30 }

/** How long makers race before a picture, and how long a busy market runs before one of it, milliseconds. */
const RACE_MS = 4_000
const BUSY_MS = 25_000

/** What the codes of a terminal turn on, as CSS. @type {Readonly<Record<string, string>>} */
const LOOKS = {
  1: 'font-weight: 700',
  2: 'opacity: 0.6',
  7: 'background: #e6e6e6; color: #16181d',
  31: 'color: #ff7b72',
  32: 'color: #7ee787',
  33: 'color: #f2cc60',
  36: 'color: #79c0ff',
}

const folder = mkdtempSync(join(tmpdir(), 'rfqctl-pictures-'))
const market = spawn(process.execPath, [PROGRAM, 'up', '--busy', '--port', '0', '--json'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const over = once(market, 'exit')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})
try {
  mkdirSync(OUT, { recursive: true })
  const { url } = await readyLine()
  const racing = await racingPage(url)
  for (const { name, ...size } of PAGES) {
    await racing.setViewportSize(size)
    await take(racing, name, size)
  }
  await pause(BUSY_MS)
  const page = await openPage({ width: 1_600, height: 1_000 })
  await page.setContent(terminalPage(await dashboardText()))
  const box = await page.locator('pre').boundingBox()
  if (box === null) throw new Error('The dashboard has no size.')
  await take(page, 'dashboard', { width: Math.ceil(box.width), height: Math.ceil(box.height) })
} finally {
  await browser.close()
  market.kill('SIGINT')
  await over
  rmSync(folder, { recursive: true, force: true })
}

/** @returns {Promise<{ url: string }>} */
async function readyLine() {
  for await (const line of createInterface({ input: market.stdout })) {
    const value = JSON.parse(line)
    if (value.type === 'ready') return value
  }
  throw new Error('The market did not start.')
}

/** A page on which quotes race for a test account. @param {string} url */
async function racingPage(url) {
  const page = await openPage({ width: 1_440, height: 900 })
  await page.goto(url)
  const press = (/** @type {string | RegExp} */ name) => page.getByRole('button', { name }).first().click()
  await page.locator('.button-primary:enabled:visible').first().waitFor()
  await press('Start with a test account')
  await press(/^Get \$/)
  await page.locator('.funds').first().waitFor()
  await press(/^Ask for quotes$/)
  await page.getByRole('button', { name: /^Buy [\d,]+ for/ }).waitFor()
  await pause(RACE_MS)
  return page
}

/** @param {{ width: number, height: number }} size */
async function openPage(size) {
  const context = await browser.newContext({ viewport: size, colorScheme: 'light', reducedMotion: 'reduce' })
  return context.newPage()
}

/** @param {import('playwright-core').Page} page @param {string} name @param {{ width: number, height: number }} size */
async function take(page, name, size) {
  const session = await page.context().newCDPSession(page)
  const clip = { x: 0, y: 0, ...size, scale: 1 }
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY, clip })
  writeFileSync(join(OUT, `${name}.webp`), Buffer.from(data, 'base64'))
}

/** What a terminal of its own shows of the dashboard, with the codes of its colours. */
async function dashboardText() {
  const tmux = (/** @type {string[]} */ ...argv) =>
    execFileSync('tmux', ['-L', `rfqctl-${process.pid}`, '-f', '/dev/null', ...argv], { cwd: folder, encoding: 'utf8' })
  const size = ['-x', String(TERMINAL.columns), '-y', String(TERMINAL.rows)]
  tmux('new-session', '-d', ...size, `${process.execPath} ${PROGRAM} dashboard`)
  try {
    await pause(RACE_MS)
    return tmux('capture-pane', '-e', '-p')
  } finally {
    tmux('kill-server')
  }
}

/** @param {string} text */
function terminalPage(text) {
  return `<style>
    body { margin: 0 }
    pre { display: inline-block; margin: 0; padding: 16px; background: #16181d; color: #e6e6e6; font: 15px/1.3 monospace }
  </style><pre>${htmlOf(text.trimEnd())}</pre>`
}

/** A terminal's text as HTML: each piece in the looks that are on there. @param {string} text */
function htmlOf(text) {
  /** @type {Set<string>} */
  const on = new Set()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal is told by.
  const [first = '', ...rest] = text.split(/\u001b\[([\d;]*)m/)
  let html = escaped(first)
  for (let i = 0; i < rest.length; i += 2) {
    for (const code of (rest[i] ?? '').split(';')) turn(on, code)
    const style = [...on].map((code) => LOOKS[code] ?? '').join('; ')
    html += `<span style="${style}">${escaped(rest[i + 1] ?? '')}</span>`
  }
  return html
}

/**
 * 0 ends all, 22 bold and faint, 27 inverse, 39 the colour, of which one is on.
 * @param {Set<string>} on @param {string} code
 */
function turn(on, code) {
  if (code === '' || code === '0') on.clear()
  else if (code === '22') for (const ended of ['1', '2']) on.delete(ended)
  else if (code === '27') on.delete('7')
  else {
    if (Number(code) >= 30) for (const colour of [...on].filter((each) => Number(each) >= 30)) on.delete(colour)
    if (code !== '39') on.add(code)
  }
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
}
