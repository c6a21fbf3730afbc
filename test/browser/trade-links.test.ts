import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { CHROMIUM, CHROMIUM_HINT, useBrowser } from './support/chromium.ts'
import { onTradePage } from './support/trade-page.ts'
import { type BrowserWorld, startWorld } from './support/world.ts'

describe.skipIf(CHROMIUM === null)(`trading in a browser, where something is missing${CHROMIUM_HINT}`, () => {
  const browser = useBrowser()
  let world: BrowserWorld

  beforeAll(async () => {
    await buildWhenStale()
    world = await startWorld({}, { noChain: true })
    world.runMaker(0)
    world.runMaker(1)
  })
  afterAll(() => world?.close())

  test('without a settlement chain a trade ends with the signature of the maker', async () => {
    const { page, faults } = await browser.open({ width: 1_440 })
    const trade = onTradePage(page)
    await trade.open(`${world.url}/`)
    await trade.reads(/^Simulated$/)
    await trade.choose('Call')
    await trade.press('Start with a test account')
    await trade.press('Ask for quotes')
    await trade.press(/^Buy [\d,]+ for \$/)
    await trade.reads(/^The maker has signed\.$/)
    await trade.reads(/it settles on no chain, and the trade ends here/)
    expect(await trade.panel.getByRole('button', { name: /fill/i }).count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('each step has an address: back leads through them, and a reload stays', async () => {
    const { page, faults } = await browser.open({ width: 400 })
    const path = () => new URL(page.url()).pathname
    const place = () => page.locator('.trade-page').getAttribute('data-place')
    await page.goto(`${world.url}/`)
    await page.locator('.ladder-table .cell:enabled').first().click()
    expect(path()).toMatch(/^\/s\/\d+$/)
    expect(await place()).toBe('panel')
    const option = path()
    await page.getByRole('button', { name: 'Ask for quotes' }).click()
    await page.getByText(/the best of \d+ quotes?/).waitFor()
    const trade = path()
    expect(trade).toMatch(/^\/t\//)
    await page.reload()
    await page.getByText(/the best of \d+ quotes?/).waitFor()
    expect(path()).toBe(trade)
    await page.goBack()
    await page.getByRole('button', { name: 'Ask for quotes' }).waitFor()
    expect(path()).toBe(option)
    await page.goBack()
    expect(path()).toBe('/')
    expect(await place()).toBe('markets')
    await page.goForward()
    await page.goForward()
    await page.getByText(/the best of \d+ quotes?/).waitFor()

    await page.goto(`${world.url}${option}`)
    await page.getByRole('button', { name: 'Ask for quotes' }).waitFor()
    expect(path()).toBe(option)
    await page.goto(`${world.url}/s/1`)
    await page.getByText('This relay does not list the option of this address.').waitFor()
    expect(faults).toEqual([])
  })

  test('without a wallet the page says so, and shows quotes', async () => {
    const { page, faults } = await browser.open({ width: 1_440 })
    // A relay on a chain of others, which has no account for anyone.
    await page.route('**/v1/environment', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...(await answer.json()), mode: 'onchain', sandbox: false } })
    })
    const trade = onTradePage(page)
    await trade.open(`${world.url}/`)
    await trade.choose('Call')
    await trade.reads(/^This browser has no wallet\.$/)
    await trade.press('Ask for quotes')
    await trade.reads(/the best of \d+ quotes?/)
    const buy = trade.panel.getByRole('button', { name: /^Buy [\d,]+ for \$/ })
    expect(await buy.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Connect a wallet' }).first().click()
    await page.getByRole('dialog').getByText('No wallet found').waitFor()
    expect(faults).toEqual([])
  })

  test('a lost relay is reported, old figures are dimmed, and the open request continues once it is back', async () => {
    const line = await openLine(Number(new URL(world.url).port))
    onTestFinished(line.close)
    const { page } = await browser.open({ width: 1_440 })
    const trade = onTradePage(page)
    await trade.open(line.url)
    await trade.choose('Call')
    await trade.press('Start with a test account')
    await trade.press('Ask for quotes')
    await trade.reads(/^Quotes racing$/)
    await line.cut()
    await trade.reads(/^The relay does not answer\. What you see is as it was last\.$/)
    await page.locator('main.stale').waitFor()
    const buy = trade.panel.getByRole('button', { name: /^Buy [\d,]+ for \$/ })
    expect(await buy.isDisabled()).toBe(true)
    await line.mend()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.locator('main:not(.stale)').waitFor()
    await trade.press(/^Buy [\d,]+ for \$/)
    await trade.reads(/^The maker has signed\.$/)
  })
})

/** A line between pages and a relay, which can be cut: what is on it ends, and nothing new gets through until it is mended. */
async function openLine(relayPort: number) {
  const sockets = new Set<Socket>()
  const hold = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  }
  const server: Server = createServer((page) => {
    const relay = connect(relayPort, '127.0.0.1')
    for (const socket of [page, relay]) hold(socket)
    page.pipe(relay).pipe(page)
    page.on('close', () => relay.destroy())
    relay.on('close', () => page.destroy())
  })
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const cut = async () => {
    const closed = new Promise((done) => server.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, cut, mend: () => listen(port), close: async () => void (await cut()) }
}
