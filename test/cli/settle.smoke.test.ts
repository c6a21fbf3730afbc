import { expect, it, onTestFinished, test } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { keeperJson, keeperLine } from '../../src/cli/settle/keeper.ts'
import { createColors } from '../../src/cli/terminal/colors.ts'
import { contracts, type KeeperNews, RelayError, type ResolutionBps, usd6 } from '../../src/client/index.ts'
import { json } from '../kit/plays.ts'
import { startSource } from '../relay/adapters/sources/source-server.ts'
import { NOWHERE, type Ran, run, temporaryDir } from './support.ts'

/** A relay whose price source has nothing to say, beside the commands of its operator. */
async function startFixture(): Promise<{
  paste: (line: string) => Promise<Ran>
  documents: (line: string) => Promise<Document[]>
  end: () => Promise<void>
}> {
  const cwd = temporaryDir()
  const source = await startSource((response, request) =>
    json(request.url?.includes('condition_ids') ? [] : { history: [] })(response, request),
  )
  const stop = new AbortController()
  const environment = {
    PRICE_HISTORY_URL: source.url,
    MARKETS_URL: source.url,
    SETTLE_LAG_MS: '0',
    LOG_LEVEL: 'silent',
  }
  let ended: Promise<number> = Promise.resolve(0)
  await new Promise<void>((resolve, reject) => {
    const stdout = { write: (text: string) => text.includes('ready') && resolve() }
    const process = {
      stdout,
      stderr: { write: () => {} },
      environment,
      cwd,
      stop: stop.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    }
    ended = runCli(['serve', '--port', '0', '--json'], process)
    ended.then((code) => reject(new Error(`serve ended with ${code}`)), reject)
  })
  const paste = (line: string) => run(words(line), { cwd })
  const end = async () => {
    stop.abort({ kind: 'signal', signal: 'SIGTERM' })
    return ended
  }
  // A test that fails leaves no relay behind whose folder goes.
  onTestFinished(async () => void (await end()))
  return {
    paste,
    documents: async (line) => {
      const { stdout, stderr, code } = await paste(`${line} --json`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text))
    },
    end: async () => expect(await end()).toBe(0),
  }
}

type Document = Record<string, unknown> & { type: string }

/** The words of a line as a shell splits them. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

it('an operator decides a series that has no price, and a keeper brings it to the chain', async () => {
  const { paste, documents, end } = await startFixture()
  expect((await paste('settle review list')).stdout).toBe('no series waits for review\n')
  expect((await paste('settle run --once')).stdout).toBe('')
  await paste('chain warp 90m')

  const refused = await paste('settle prepare')
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('waits for manual review')])
  const [list] = await documents('settle review list')
  const waiting = list?.reviews as { seriesId: string; reason: string; state: string }[]
  expect(waiting.length).toBeGreaterThan(1)
  expect(waiting[0]).toMatchObject({ reason: 'no_price_data', state: 'expired' })
  expect((await paste('settle review list')).stdout).toContain('no price in the window')
  const { seriesId } = waiting[0] as { seriesId: string }

  const shown = await paste(`settle review show ${seriesId}`)
  expect(shown.stdout).toMatch(/average +no price\nreview +no price in the window, since .*\nresolution +none yet/)
  const decision = `settle review resolve ${seriesId} --price 0.59 --by Ada --reason "last trade before expiry"`
  expect(await documents(decision)).toMatchObject([
    { type: 'resolved', seriesId, resolutionBps: 59, method: 'manual', by: 'Ada', reason: 'last trade before expiry' },
  ])
  const again = await paste(decision)
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('already resolved at 59')])
  expect((await paste(`settle review show ${seriesId}`)).stdout).toContain('$0.59 (by Ada: last trade before expiry)')
  expect(await documents(`settle points ${seriesId}`)).toMatchObject([
    { type: 'points', points: [], pointCount: 0, sourceAvailable: true, resolution: { method: 'manual', by: 'Ada' } },
  ])

  const [others] = (await documents('settle review list')) as [Document]
  const undecided = (others.reviews as Document[]).length
  expect(undecided).toBeLessThan(waiting.length)
  const some = await paste('settle prepare')
  expect(some).toMatchObject({ code: 0, stdout: expect.stringMatching(/ resolved at \$0\.59 \(manual\).*\n$/) })
  expect(some.stderr.match(/waits for manual review/g)).toHaveLength(undecided)

  const kept = await documents('settle run --once --claim all')
  const settled = kept.filter(({ type }) => type === 'settled')
  expect(settled).toHaveLength(waiting.length - undecided)
  expect(settled.map(({ seriesId: id }) => id)).toContain(seriesId)
  expect(new Set(settled.map(({ resolutionBps }) => resolutionBps))).toEqual(new Set([59]))
  const postponed = kept.filter(({ type }) => type === 'settlement_postponed')
  expect(new Set(postponed.map(({ code }) => code))).toEqual(new Set(['manual_review']))
  const [left] = await documents('settle review list')
  const ids = (items: readonly Record<string, unknown>[]) => items.map((item) => item.seriesId).sort()
  expect(ids(postponed)).toEqual(ids(left?.reviews as Document[]))
  await end()
})

test.each([
  ['settle review resolve @1 --by Ada --reason x'],
  ['settle review resolve @1 --price 0.595 --by Ada --reason x'],
  ['settle review resolve @1 --price 59 --by Ada --reason x'],
  ['settle review resolve @1 --price 1.01 --by Ada --reason x'],
  ['settle review resolve @1 --price -0.5 --by Ada --reason x'],
  ['settle review resolve @1 --price .5 --by Ada --reason x'],
  ['settle run --once --for 3s'],
  ['settle run --every soon'],
])('"%s" is a usage error', async (line) => {
  const { code, stdout } = await run(words(line))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})

test('the queue of an operator needs its token', async () => {
  const { code, stderr } = await run(['settle', 'review', 'list'], { cwd: temporaryDir() })
  expect([code, stderr]).toEqual([4, expect.stringContaining('set OPERATOR_TOKEN')])
})

test('the actions of a keeper are lines for people and objects for programs', () => {
  const colors = createColors(false)
  const hash = `0x${'ab'.repeat(32)}` as const
  const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const seriesId = '123456789012345'
  const error = new RelayError({ code: 'manual_review', status: 409 })
  const failed = { error, retryInMs: 90_000 }
  const names = { series: () => 'rain-c45-nov22-0310', wallet: () => 'maker-1' }
  const news: KeeperNews[] = [
    { kind: 'settled', seriesId, resolutionBps: 59 as ResolutionBps, hash },
    { kind: 'claimed', wallet, seriesId, side: 'payout', amount: contracts(5n), paid: usd6(750_000n), hash },
    { kind: 'settlement_postponed', seriesId, ...failed },
    { kind: 'claim_postponed', wallet, seriesId, error: new Error('one line\nand another'), retryInMs: 1_000 },
    { kind: 'round_failed', ...failed },
  ]
  expect(news.map((item) => keeperLine(item, names, colors))).toEqual([
    `settled rain-c45-nov22-0310 at $0.59 in ${hash}`,
    'claimed $0.75 of payout for maker-1 from rain-c45-nov22-0310',
    'postponed rain-c45-nov22-0310: The series has no usable price and waits for manual review. Trying again in 1m 30s.',
    'postponed the claim of maker-1 from rain-c45-nov22-0310: one line Trying again in 1s.',
    'failed The series has no usable price and waits for manual review. Trying again in 1m 30s.',
  ])
  expect(news.map(keeperJson)).toMatchObject([
    { type: 'settled', seriesId, resolutionBps: 59, txHash: hash },
    { type: 'claimed', wallet, seriesId, kind: 'payout', optionAmount: 5, paid: 0.75, txHash: hash },
    { type: 'settlement_postponed', seriesId, code: 'manual_review', retryInMs: 90_000 },
    { type: 'claim_postponed', wallet, seriesId, code: null },
    { type: 'round_failed', code: 'manual_review' },
  ])
})
