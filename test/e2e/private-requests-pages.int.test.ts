import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import * as client from '../../src/client/index.ts'
import type { Sandbox } from '../../src/relay/app/sandbox-file.ts'
import { connectMakers, serveFrom } from '../cli/serving.ts'
import { temporaryDir } from '../cli/support.ts'
import { importedBy, type Snippet, sectionOf, snippetsOf } from '../docs/snippets.ts'
import { call } from '../kit/http.ts'
import { openSocket } from '../kit/socket.ts'
import { openTerminal, typedSteps, walk } from './typed-page.ts'

const TAKERS = { page: 'docs/guides/taker.md', heading: '## Keep to yourself what makers need not know (five minutes)' }
const MAKERS = { page: 'docs/guides/maker.md', heading: '## Requests for both sides (three minutes)' }
const OPERATORS = { page: 'docs/guides/operator/makers.md', heading: '## When losers learn' }

const stepsOf = ({ page, heading }: { page: string; heading: string }) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  return typedSteps(sectionOf(text.slice(text.indexOf(heading))))
}

const programsOf = ({ page, heading }: { page: string; heading: string }, language = 'js') =>
  snippetsOf(page, { languages: [language], heading })

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor

/** Runs a program of a page with what the page takes for given, and returns what it has named so, and its lines. */
async function runProgram<Names extends string>(
  snippet: Snippet | undefined,
  { given, names }: { given: Record<string, unknown>; names: readonly Names[] },
): Promise<{ printed: string[]; values: Record<Names, unknown> }> {
  if (snippet === undefined) throw new Error('the page has no such program')
  const printed: string[] = []
  const console = { log: (...words: unknown[]) => printed.push(words.join(' ')) }
  const body = `const { ${importedBy(snippet).join(', ')} } = client\n{\n${snippet.text}\nreturn { ${names.join(', ')} }\n}`
  const program = new AsyncFunction('client', 'console', ...Object.keys(given), body)
  return { values: await program(client, console, ...Object.values(given)), printed }
}

/** A market without a chain. */
async function openMarket({ makers }: { makers: number }) {
  const cwd = temporaryDir()
  const { url } = await serveFrom(cwd)
  const stopMakers = makers === 0 ? async () => {} : await connectMakers(cwd, makers)
  const sandbox: Sandbox = JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8'))
  const account = privateKeyToAccount((sandbox.takers[0] as Sandbox['takers'][number]).privateKey)
  const taker = client.createTakerClient({ url, account })
  const [series] = await taker.listSeries({ optionType: 'call', settled: false })
  return { cwd, url, sandbox, stopMakers, taker, given: { taker, series, wallet: account.address } }
}

describe('"A taker in ten minutes", of requests that keep something back', () => {
  test('each command shows what the page says', async () => {
    const { cwd, stopMakers } = await openMarket({ makers: 3 })
    const steps = stepsOf(TAKERS)
    expect(steps).toHaveLength(6)
    await walk(steps, openTerminal(cwd, {}).type)
    await stopMakers()
  })

  test('each program trades as the page says', async () => {
    const { given, stopMakers } = await openMarket({ makers: 3 })
    const [both, standing, blind, chosen, ...others] = programsOf(TAKERS)
    expect(others).toEqual([])
    const sold = await runProgram(both, { given, names: ['sold', 'bestBid'] })
    expect(sold.printed).toEqual([expect.stringMatching(/^buy at \$0\.\d+, sell at \$0\.\d+$/)])
    expect(sold.values.sold).toMatchObject({ quote: { side: 'sell', fillContracts: 50n } })
    const bought = { quote: { side: 'buy' } }
    const limited = await runProgram(standing, { given, names: ['bought'] })
    expect(limited.values.bought).toMatchObject(bought)
    expect(limited.printed.at(-1)).toBe('committed')
    const unseen = await runProgram(blind, { given, names: ['bought', 'request'] })
    expect(unseen.values).toMatchObject({ bought, request: { terms: { wallet: null } } })
    const { printed } = await runProgram(chosen, { given, names: [] })
    expect(printed).toEqual(['2 1'])
    await stopMakers()
  })
})

describe('"A maker in ten minutes", of requests for both sides', () => {
  test('each command shows what the page says', async () => {
    const { cwd } = await openMarket({ makers: 0 })
    await walk(stepsOf(MAKERS), openTerminal(cwd, {}).type)
  })

  /** A request of the taker, with the book once one maker has quoted. */
  const open = ({ taker, given: { series } }: Awaited<ReturnType<typeof openMarket>>, trade: client.Trade) => {
    if (series === undefined) throw new Error('the market has no series')
    const { conditionId, yesTokenId } = series
    const option = client.toRequestedOption(series)
    return taker.openForQuotes({ market: { conditionId, yesTokenId }, option, trade, quotes: 1 })
  }
  const size = client.contracts(50n)

  test('its program quotes bid and ask where both are asked for, and one of them elsewhere', async () => {
    const market = await openMarket({ makers: 0 })
    const { url, sandbox } = market
    const { apiKey = null, privateKey } = sandbox.makers.at(-1) as Sandbox['makers'][number]
    const { chainId, settlementAddress, coreAddress } = sandbox
    const chain = { chainId, settlementAddress, coreAddress }
    const maker = client.createMakerClient({
      url,
      apiKey: apiKey ?? null,
      account: privateKeyToAccount(privateKey),
      chain,
    })
    const stop = new AbortController()
    const given = { maker, signal: stop.signal }
    const quoting = runProgram(programsOf(MAKERS)[0], { given, names: [] }).catch((error) => {
      if (!stop.signal.aborted) throw error
    })
    const [bid, ask] = [{ price: 90_000n }, { price: 120_000n }]
    expect((await open(market, { side: 'both', size })).book).toMatchObject({ bestQuote: ask, bestBid: bid })
    expect((await open(market, { side: 'sell', size })).book).toMatchObject({ bestQuote: bid })
    stop.abort()
    await quoting
  })

  test('its messages are what the relay takes, over HTTP and on the socket', async () => {
    const market = await openMarket({ makers: 0 })
    const { url, sandbox } = market
    const { apiKey } = sandbox.makers.find(({ name }) => name === 'maker-4') as Sandbox['makers'][number]
    const [subscribe, overHttp, onSocket, ...others] = programsOf(MAKERS, 'json').map(({ text }) => JSON.parse(text))
    expect(others).toEqual([])
    const socket = openSocket(`${url.replace(/^http/, 'ws')}/maker/v1/ws?apiKey=${apiKey}`)
    await socket.until('connected')
    socket.send(subscribe)
    await socket.messages.until(({ event }) => event === 'snapshot_complete')
    const announced = async () => {
      const { data } = await socket.messages.until(({ event }) => event === 'quote_request')
      return (data as { requestId: string }).requestId
    }
    const quoted = { bestQuote: { price: 120_000n }, bestBid: { price: 90_000n } }
    const first = open(market, { side: 'both', size })
    const body = { ...overHttp, requestId: await announced() }
    const headers = { 'x-api-key': apiKey as string }
    expect(await call('POST', `${url}/v1/mm/quotes`, { headers, body })).toMatchObject({ status: 200 })
    expect((await first).book).toMatchObject(quoted)
    const second = open(market, { side: 'both', size })
    socket.send({ ...onSocket, requestId: await announced() })
    expect(await socket.until('quote:ok')).toMatchObject({ ref: '1' })
    expect((await second).book).toMatchObject(quoted)
  })
})

test('"Makers on your relay" has a relay delay what losers learn', async () => {
  const [step, ...others] = stepsOf(OPERATORS)
  if (step === undefined) throw new Error('the page shows no command')
  expect(others).toEqual([])
  expect(step.lines.at(-1)).toBe('rfqctl serve')
  const cwd = temporaryDir()
  const environment: Record<string, string> = {}
  await walk([{ ...step, lines: step.lines.slice(0, -1) }], openTerminal(cwd, environment).type)
  expect(environment).toEqual({ FEEDBACK_DELAY_MS: '10000' })
  await serveFrom(cwd, { environment })
})
