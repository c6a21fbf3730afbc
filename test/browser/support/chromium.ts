import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

/** What a Chromium may be called, Debian's first. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

/** The browser of this machine; null where it has none. */
export const CHROMIUM: string | null = findChromium()

/** Why a suite was skipped, as a part of its name. */
export const CHROMIUM_HINT = CHROMIUM === null ? ' (skipped: no chromium on the PATH)' : ''

function findChromium(): string | null {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Of a page that failed its test, so much is printed, in characters. */
const SHOWN = 3_000

/** A headless browser that looks nothing up elsewhere. The sandbox of Chromium does not run as root. */
function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('there is no chromium on the PATH')
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...(isRoot ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

export type PageOptions = {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  /** Whether the page may run scripts; it may by default. */
  javaScript?: boolean
  /** What is done to the page before it goes anywhere, for instance to give it a wallet. */
  prepare?: (context: BrowserContext) => Promise<void>
}

/** A page, and what went wrong on it: a breach of its policy, an exception, an address elsewhere. A test expects none. */
export type TestPage = { page: Page; context: BrowserContext; faults: string[] }

/** One browser for the tests of a file. `open` makes a page with storage of its own, which is gone after its test. */
export function useBrowser(): { open: (options?: PageOptions) => Promise<TestPage> } {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (CHROMIUM !== null) browser = await launchBrowser()
  })
  afterAll(() => browser?.close())
  return {
    open: async (options = {}) => {
      if (browser === undefined) throw new Error('there is no browser')
      const opened = await openPage(browser, options)
      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail') console.error(await tellOf(opened))
        await opened.context.close()
      })
      return opened
    },
  }
}

/** What a page showed whose test failed. */
async function tellOf({ page, faults }: TestPage): Promise<string> {
  const text = await page
    .locator('main, .trade-panel')
    .last()
    .innerText()
    .catch(() => '')
  return [`the page showed: ${text.slice(0, SHOWN)}`, ...faults].join('\n')
}

/** A page in a context of its own, which keeps what it stores until it is closed. */
async function openPage(
  browser: Browser,
  { width = 1_280, height = 900, scheme = 'light', javaScript = true, prepare }: PageOptions = {},
): Promise<TestPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    javaScriptEnabled: javaScript,
    reducedMotion: 'reduce',
  })
  const faults: string[] = []
  await prepare?.(context)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && isFault(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') faults.push(`asks elsewhere: ${request.url()}`)
  })
  return { page, context, faults }
}

/** Chromium says on its console what answer was a refusal and what connection was lost, and both happen on purpose. */
const isFault = (text: string): boolean => !/^Failed to load resource|net::ERR_/.test(text)
