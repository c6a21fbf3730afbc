import { afterAll, beforeAll, expect, it } from 'vitest'
import { runMakerBot } from '../../src/agents/bots/maker-bot.ts'
import { MAKER_STYLES, type StyleName } from '../../src/agents/bots/style.ts'
import { accountOf, transportOf } from '../../src/client/from-text.ts'
import { createTakerClient, type TakerClient, usd6 } from '../../src/client/index.ts'
import { toRequestedOption } from '../../src/protocol/domain/request.ts'
import { type RunningApp, startApp } from '../../src/relay/app/start-app.ts'
import { loadSettings } from '../../src/relay/config/settings.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { watchWire } from '../support/api/watch-wire.ts'

watchWire()

let app: RunningApp
let taker: TakerClient
const dataDir = newFolder()

beforeAll(async () => {
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
    modes: { memory: false, noChain: false, chainPort: null },
    environment: { MAKER_CONFIRMATION_MS: '1000' },
    cwd: dataDir,
  })
  if (settings === null) throw new Error('the settings have a fault')
  app = await startApp({ settings, stop: new AbortController().signal })
  const wallet = app.sandbox.takers[0]
  if (wallet === undefined) throw new Error('no taker')
  taker = createTakerClient({ url: app.url, account: accountOf(wallet.privateKey), chain: chain() })
})

afterAll(async () => {
  await app.close()
  removeFolder(dataDir)
})

const chain = () => {
  const { rpcUrl, chainId, settlementAddress, coreAddress } = app.sandbox
  if (rpcUrl === null) throw new Error('no chain')
  return { chainId, settlementAddress, coreAddress, transport: transportOf(rpcUrl), pollingIntervalMs: 20 }
}

/** A maker bot that is cut off, connections and all, as soon as it is asked to sign. */
function startMaker(index: number, style: StyleName, diesWhenAsked: boolean): AbortController {
  const wallet = app.sandbox.makers[index]
  if (wallet === undefined) throw new Error('no maker')
  const end = new AbortController()
  const { url, wsUrl, prices } = app
  void runMakerBot({
    maker: { url, wsUrl, apiKey: wallet.apiKey ?? null, account: accountOf(wallet.privateKey), chain: chain() },
    style: MAKER_STYLES[style],
    seed: index,
    spot: async (token, now) => prices.spot(token, now) ?? 0.5,
    signal: end.signal,
    onEvent: ({ kind }) => kind === 'asked' && diesWhenAsked && end.abort(),
  })
  return end
}

it('a maker that dies while it is asked to sign costs its taker a deadline, not the trade', async () => {
  const dying = startMaker(0, 'tight', true)
  const healthy = startMaker(1, 'wide', false)
  const series = (await taker.listSeries({ optionType: 'call', settled: false }))[0]
  if (series === undefined) throw new Error('no series')
  const { conditionId, yesTokenId } = series
  const request = await taker.openQuoteRequest({
    market: { conditionId, yesTokenId },
    option: toRequestedOption(series),
    trade: { side: 'buy', budget: usd6(100_000_000n) },
  })
  for await (const { quoteCount, bestQuote } of taker.watchBestQuote({ request })) {
    if (quoteCount === 2 && bestQuote?.makerId === 'maker-1') break
  }
  const commitment = await taker.commitToBestQuote({ request, limitPrice: null, minContracts: null })
  expect(dying.signal.aborted).toBe(true)
  expect(commitment.execution.makerId).toBe('maker-2')
  const { fill } = await taker.fillOrder({ commitment })
  expect(fill.status).toBe('success')
  expect((await taker.getRelayInfo()).mode).toBe('onchain')
  healthy.abort()
})
