import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { createPublicClient, erc20Abi, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { usd } from '../../src/lib/format.ts'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { requireSandbox } from '../../src/relay/app/sandbox-file.ts'
import { buildWhenStale } from '../kit/build.ts'
import { startChild } from '../kit/child.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { dollarsIn } from './support/trade-page.ts'

const FIRST = 'Start with a test account'

/** No way to a payout is longer. */
const MOST_PRESSES = 20

/** The machine that runs the tests starts a chain, a relay, makers and a browser at once. */
const PATIENCE_MS = 90_000

describe.skipIf(CHROMIUM === null)(`rfqctl up --open${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()

  beforeAll(() => buildWhenStale())

  test('opens a page whose next button leads from nothing to a payout', { timeout: 400_000 }, async () => {
    const { url, dataDir } = await startMarket()
    const { page, faults } = await browser.open({ width: 1_440 })
    await page.goto(url)
    await page.getByRole('button', { name: FIRST }).waitFor({ timeout: PATIENCE_MS })
    // What is bought may end worthless. Who writes gets back what the options do not pay, whatever the price is below $1.
    await page.locator('.trade-panel').getByText('Sell', { exact: true }).click()
    const paid = page.locator('.trade-panel').getByText(/^\$[\d,.]+ was paid to your wallet\.$/)
    const pressed: string[] = []
    let before = 0n
    while (await isNext(page, paid)) {
      expect(pressed.length, pressed.join(', ')).toBeLessThan(MOST_PRESSES)
      const text = (await nextButton(page).textContent()) ?? ''
      // A button that is still there after its press is no new step.
      if (pressed.length > 1 && text !== pressed.at(-1)) before = await balanceOf(page, dataDir)
      pressed.push(text)
      // By its words: what is next may have changed since they were read.
      await nextButton(page)
        .filter({ hasText: text })
        .click({ timeout: 5_000 })
        .catch(() => {})
    }

    expect(pressed[0]).toBe(FIRST)
    const after = await balanceOf(page, dataDir)
    expect(after - before).toBe(dollarsIn((await paid.textContent()) ?? ''))
    expect(after).toBeGreaterThan(before)
    await expect.poll(() => page.locator('.funds').textContent(), { timeout: PATIENCE_MS }).toBe(usd(usd6(after)))
    expect(faults).toEqual([])
  })
})

/** Waits for the next step or the end; false at the end. */
async function isNext(page: Page, end: Locator): Promise<boolean> {
  await end.or(nextButton(page)).first().waitFor({ timeout: PATIENCE_MS })
  return !(await end.isVisible())
}

/** The one next step of the page, once it can be taken. */
const nextButton = (page: Page) => page.locator('.button-primary:enabled:visible').first()

/** Starts a market as a new user does, with a browser that only notes what it is to open: the address. */
async function startMarket(): Promise<{ url: string; dataDir: string }> {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  const [note, opener, dataDir] = [join(folder, 'address'), join(folder, 'browser'), join(folder, 'data')]
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${note}.new' && mv '${note}.new' '${note}'\n`)
  chmodSync(opener, 0o755)
  const child = startChild(['up', '--open', '--port', '0', '--data-dir', dataDir], {
    cwd: folder,
    environment: { BROWSER: opener },
  })
  await child.says(/trade +http/)
  await expect.poll(() => existsSync(note), { timeout: PATIENCE_MS }).toBe(true)
  return { url: readFileSync(note, 'utf8'), dataDir }
}

/** What the test account of a page has, micro-dollars, as one reads it from the chain without rfqctl. */
async function balanceOf(page: Page, dataDir: string): Promise<bigint> {
  const { rpcUrl, stablecoinAddress } = requireSandbox(dataDir)
  const client = createPublicClient({ transport: http(rpcUrl ?? '') })
  const key = await page.evaluate(() => localStorage.getItem('rfqctl:sandbox-key'))
  const { address } = privateKeyToAccount(key as Hex)
  return client.readContract({
    address: stablecoinAddress,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  })
}
