import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../src/lib/exit.ts'
import { startSource } from '../relay/adapters/sources/source-server.ts'
import { type GammaServer, gammaFixture, startGamma } from '../support/gamma-server.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

let gamma: GammaServer
beforeAll(async () => {
  gamma = await startGamma()
})
afterAll(() => gamma.close())

const KRONE = String(gammaFixture('markets')[0]?.conditionId)

/** A sandbox, a source of prices that can be told to fall silent, and the line of a lister over both. */
async function open() {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const state = { isQuiet: false, asked: 0 }
  const prices = await startSource((response, request) => {
    state.asked += 1
    const asked = new URL(request.url ?? '/', 'http://prices').searchParams
    const t = Number(asked.get('endTs')) - 30
    response.end(JSON.stringify({ history: state.isQuiet ? [] : [{ t, p: 0.42 }] }))
  })
  const line = `lister run --from ${gamma.url} --prices ${prices.url} --query krone --strikes 50 --expiries weekly`
  const lister = async (more = '--once') => {
    const ran = await run(wordsOf(`${line} ${more} --json`), { cwd })
    const lines = ran.stdout.trim().split('\n').filter(Boolean)
    return { ...ran, news: lines.map((text) => JSON.parse(text)) }
  }
  const rfqctl = (text: string) => run(wordsOf(text), { cwd })
  return { cwd, state, line, lister, rfqctl }
}

test('a round lists what is due and halts what went quiet, on the chain', async () => {
  const { state, lister, rfqctl } = await open()
  const first = await lister()
  expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
  const txHash = expect.stringMatching(/^0x/)
  expect(first.news).toMatchObject([
    { type: 'series_created', conditionId: KRONE, strikeBps: 5_000, optionType: 'call', txHash },
    { type: 'series_created', conditionId: KRONE, strikeBps: 5_000, optionType: 'put', txHash },
  ])
  expect((await lister()).news).toEqual([])
  const ids = first.news.map(({ seriesId }) => seriesId)
  expect(await rfqctl(`series get ${ids[0]}`)).toMatchObject({ code: 0 })

  state.isQuiet = true
  const halted = await lister('--once --halter registrar')
  const ofKrone = halted.news.find(({ conditionId }) => conditionId === KRONE)
  expect(ofKrone).toMatchObject({ type: 'series_halted', quietMs: 3_600_000 })
  expect(new Set(ofKrone.seriesIds)).toEqual(new Set(ids))
  const again = await rfqctl(`chain halt ${ids[0]} --yes`)
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('halted already')])
})

test('it works round by round until it is stopped, or its time is over', async () => {
  const { cwd, line, lister, state } = await open()
  const stop = new AbortController()
  let created = 0
  const ended = run(wordsOf(`${line} --every 100ms --json`), {
    cwd,
    stop: stop.signal,
    onStdout: (text) => {
      created += text.split('series_created').length - 1
    },
  })
  await expect.poll(() => created).toBe(2)
  const before = state.asked
  await expect.poll(() => state.asked).toBeGreaterThan(before)
  stop.abort({ kind: 'signal', signal: 'SIGTERM' })
  expect(await ended).toMatchObject({ code: EXIT.terminated })
  expect(created).toBe(2)
  expect(await lister('--every 1h --for 10ms')).toMatchObject({ code: 0 })
  const { stdout, stderr } = await run(wordsOf(`${line.replace(/--prices \S+/, '')} --once`), { cwd })
  expect(stdout).toBe('')
  expect(stderr).toContain('no source of prices')
  expect(stderr).toContain('nothing is due')
})

test('a wallet that may not register or halt is refused at the start', async () => {
  const { lister } = await open()
  const registrar = await lister('--once --account taker-1')
  expect([registrar.code, registrar.stderr]).toEqual([4, expect.stringContaining('may not register series')])
  const halter = await lister('--once --halter taker-1')
  expect([halter.code, halter.stderr]).toEqual([4, expect.stringContaining('may not halt series')])
})

test('limits that no transaction fits in are refused', async () => {
  const { lister } = await open()
  const { code, stderr } = await lister('--once --max-coin-per-day 0.001')
  expect([code, stderr]).toEqual([2, expect.stringContaining('one transaction may cost 1.5 ')])
})

test('the source and a price of gas that fail are said, a line each', async () => {
  const { cwd, line, lister } = await open()
  expect((await lister('--once --max-gas-price 0.000000001')).news).toMatchObject([
    { type: 'registration_postponed', error: expect.stringContaining('gas costs more than it pays') },
  ])
  const down = await startSource((response) => void response.writeHead(500).end())
  const ran = await run(wordsOf(`${line.replace(/--from \S+/, `--from ${down.url}`)} --once`), { cwd })
  expect(ran.stdout).toMatch(
    /^postponed the listing: The price source cannot be reached\.: it answered with status 500\n$/,
  )
})
