import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { WALLET_NAME } from './wallet.ts'

/** What a person does on the trade page, by what they read on it. */
export type TradePage = {
  page: Page
  /** Opens the page, and waits until the options are there. */
  open: (url: string) => Promise<void>
  connect: () => Promise<void>
  /** Presses an option of the ladder; `Call` or `Put`, the first that can be traded, or that of a strike (`$0.45`). */
  choose: (type: 'Call' | 'Put', strike?: string) => Promise<void>
  /** Presses the button with a text, once it can be pressed. */
  press: (name: string | RegExp) => Promise<void>
  /** Waits for a text, and tells it as it is shown. */
  reads: (text: RegExp) => Promise<string>
  /** What a fact of the panel says: `You pay` for instance. */
  fact: (name: string) => Promise<string>
  panel: Locator
}

export function onTradePage(page: Page): TradePage {
  const panel = page.locator('.trade-panel')
  const reads = async (text: RegExp) => {
    const found = page.getByText(text).first()
    await found.waitFor()
    return (await found.textContent()) ?? ''
  }
  return {
    page,
    panel,
    open: async (url) => {
      await page.goto(url)
      await page.locator('.ladder-table .cell:enabled').first().waitFor()
      // The options that live longest are worth something on both sides.
      await page.locator('.ladder-tabs').getByRole('tab').last().click()
    },
    connect: async () => {
      await page.getByRole('button', { name: 'Connect a wallet' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: WALLET_NAME }).click()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await page.getByRole('button', { name: /^Wallet 0x/ }).waitFor()
    },
    choose: async (type, strike = '') => {
      const name = new RegExp(`^${type} ${strike.replace(/[$.]/g, '\\$&')}.*if YES stays`)
      await page.locator('.ladder-table .cell:enabled').and(page.getByRole('button', { name })).first().click()
    },
    press: (name) =>
      page.getByRole('button', { name }).and(page.locator(':enabled')).first().click({ timeout: 60_000 }),
    reads,
    fact: async (name) =>
      (await panel.locator('dt', { hasText: name }).first().locator('xpath=following-sibling::dd[1]').textContent()) ??
      '',
  }
}

/** More stops than any page of the desk has. */
const MOST_STOPS = 150

/** Goes from control to control with Tab to the one with a text, where the eye can follow, and presses Enter on it. */
export async function pressByKey(page: Page, text: RegExp): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab')
    const focused = page.locator(':focus')
    if ((await focused.count()) === 0) continue
    const [name, outline] = await focused.evaluate((element) => [
      `${element.getAttribute('aria-label') ?? ''} ${element.textContent}`.trim(),
      getComputedStyle(element).outlineStyle,
    ])
    if (!text.test(name ?? '')) continue
    expect(outline, `${name} has the focus, and does not show it`).not.toBe('none')
    return page.keyboard.press('Enter')
  }
  throw new Error(`Tab never comes to ${text}`)
}

/** The dollars of a text as micro-dollars: `$1,249.996`. */
export function dollarsIn(text: string): bigint {
  const [, whole = '0', cents = ''] = /\$([\d,]+)(?:\.(\d+))?/.exec(text) ?? []
  return BigInt(whole.replaceAll(',', '')) * 1_000_000n + BigInt(cents.padEnd(6, '0'))
}

/** The first whole number of a text: `2,510`. */
export const countIn = (text: string): bigint => BigInt((/[\d,]+/.exec(text)?.[0] ?? '0').replaceAll(',', ''))
