import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { extname, join } from 'node:path'
import { ROOT } from '../lab/relay.mjs'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ?? null

/** A headless browser; null where this machine has none. */
export async function openBrowser() {
  if (CHROMIUM === null) return null
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

const WINDOW = { viewport: { width: 1_280, height: 900 } }

/** When the trade page shows its markets. */
const READY = '.market-list .market'

/** How long the operator's page, just opened, has to come to rest. */
const SETTLE_MS = 2_000

/**
 * Opens the trade page in a browser that has never seen it: how long until its markets are drawn, in seconds from the start of
 * the navigation, the CPU of the process that drew them, in seconds, and the bytes on the wire of the page and the files that
 * it loaded until then, heads included.
 * @returns {Promise<{ seconds: number, cpuSeconds: number, bytes: number }>}
 */
export async function firstLoad(browser, url) {
  // A relay elsewhere has no TLS of its own, and without TLS browsers ask for gzip: on the loopback they would take Brotli.
  const context = await browser.newContext({ ...WINDOW, extraHTTPHeaders: { 'accept-encoding': 'gzip' } })
  const page = await context.newPage()
  const wire = await context.newCDPSession(page)
  await wire.send('Network.enable')
  await wire.send('Performance.enable')
  const files = new Set()
  const uncompressed = []
  let bytes = 0
  wire.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    if (pathname === '/' || pathname.startsWith('/web/')) files.add(requestId)
    if (pathname.startsWith('/web/') && response.headers['content-encoding'] !== 'gzip') uncompressed.push(pathname)
  })
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(`${url}/`, { waitUntil: 'commit' })
  await page.waitForSelector(READY)
  // On the clock of the page.
  const ms = Number(await page.evaluate('performance.now()'))
  const { metrics } = await wire.send('Performance.getMetrics')
  await context.close()
  if (uncompressed.length > 0) throw new Error(`not sent as gzip: ${uncompressed.join(', ')}`)
  const cpuSeconds = metrics.find(({ name }) => name === 'ProcessTime')?.value ?? Number.NaN
  return { seconds: ms / 1_000, cpuSeconds, bytes }
}

/** The CPU that a browser and the processes of its pages have taken until now, milliseconds. */
export async function browserCpuMs(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0)
}

/** Opens so many trade pages and leaves them open; the return value closes them. */
export async function openPages(browser, url, count) {
  const context = await browser.newContext(WINDOW)
  for (let i = 0; i < count; i += 1) {
    const page = await context.newPage()
    await page.goto(`${url}/`)
    await page.waitForSelector(READY)
  }
  return () => context.close()
}

/**
 * Leaves the operator's page open under a feed for some seconds: its tasks of 50 ms and more, in milliseconds, once it is there.
 * @returns {Promise<{ longest: number, count: number, shown: string }>}
 */
export async function watchDesk(browser, { feedUrl, seconds }) {
  const pages = await servePages(feedUrl)
  const context = await browser.newContext(WINDOW)
  try {
    const page = await context.newPage()
    await page.goto(`${pages.url}/desk#token=bench`)
    await page.waitForSelector('.ops-table tbody tr')
    await page.waitForTimeout(SETTLE_MS)
    await page.evaluate(`window.tasks = []; new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.tasks.push(duration)
    }).observe({ entryTypes: ['longtask'] })`)
    await page.waitForTimeout(seconds * 1_000)
    const tasks = await page.evaluate('window.tasks')
    return { longest: Math.max(0, ...tasks), count: tasks.length, shown: await page.locator('.ops-head').innerText() }
  } finally {
    await context.close()
    pages.close()
  }
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** The built pages on an origin whose operator's stream is the feed of a test. */
async function servePages(feedUrl) {
  const web = join(ROOT, 'dist', 'web')
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://pages').pathname
    if (path.startsWith('/ops/')) {
      httpRequest(feedUrl + path, (feed) => {
        response.writeHead(feed.statusCode ?? 502, feed.headers)
        response.on('close', () => feed.destroy())
        feed.pipe(response)
      }).end()
      return
    }
    const file = path === '/desk' ? join(web, 'index.html') : join(web, path.replace(/^\/web\//, ''))
    if (!existsSync(file)) return response.writeHead(404).end()
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
