import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { sha256, verifyEd25519 } from '../../../src/lib/ed25519.ts'
import { verifyTranscript } from '../../../src/protocol/domain/transcript.ts'
import { decodeTranscript } from '../../../src/protocol/wire/transcript.ts'
import { fileOf, HISTORY, type History, playHistory } from '../../support/play-history.ts'

/** 10,000 by `npm run deep`. */
const RUNS = Number(process.env.RFQCTL_TRANSCRIPT_RUNS ?? 60)

const SCRIPT = fileURLToPath(new URL('../../support/oracles/verify_transcript.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

function problemsOf(file: string): readonly string[] {
  const transcript = decodeTranscript(sha256, file)
  if ('problem' in transcript) return [transcript.problem]
  return verifyTranscript(transcript, { sha256, verify: verifyEd25519 }).problems
}

/** A verifier in another language, written from the public texts alone. */
function strangerSays(files: readonly string[]): readonly string[] {
  const input = files.map((file) => `${JSON.stringify(file)}\n`).join('')
  const { stdout, stderr, status } = spawnSync('python3', [SCRIPT], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
  expect(status, stderr).toBe(0)
  return stdout.trimEnd().split('\n')
}

/** The file with one byte changed, so that it is still text. */
const forge = (file: string, at: number, bit: number): string => {
  const bytes = Buffer.from(file)
  const place = at % bytes.length
  bytes[place] = (bytes[place] as number) ^ (1 << (bit % 7))
  return bytes.toString()
}

/** Histories by how they ended, so that the test shows that it has seen both. */
const ended = { trade: 0, none: 0 }

/** One of each, since chance alone has now and then hardly any of one. */
const endingBy = (answer: 'sign' | 'miss'): History => ({
  steps: [
    { kind: 'quote', name: 'ada', price: 100_000, size: 1_000, expiresInMs: null },
    { kind: 'commit', answers: [answer, answer, answer, answer, answer], limit: null },
  ],
  isConnected: [true, false, false, false, false],
})
const EXAMPLES = (['sign', 'miss'] as const).map((answer): [History, [number, number][]] => [endingBy(answer), []])
const forged: string[] = []
const genuine: string[] = []

it('true histories are accepted, and none of which a byte is changed', { timeout: 60_000 + RUNS * 500 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      HISTORY,
      fc.array(fc.tuple(fc.nat(), fc.nat(6)), { minLength: 3, maxLength: 3 }),
      async (history, bytes) => {
        const { fixture, requestId, takerSecret } = await playHistory(history)
        if (!fixture.auditLog.some(({ kind }) => kind === 'commit_started')) return
        const file = await fileOf(fixture, requestId, { kind: 'taker', takerSecret })
        expect(problemsOf(file)).toEqual([])
        ended[file.includes('"confirmed"') ? 'trade' : 'none'] += 1
        for (const [at, bit] of bytes) {
          const other = forge(file, at, bit)
          expect(problemsOf(other), `byte ${at % Buffer.byteLength(file)}`).not.toEqual([])
          if (forged.length < 200) forged.push(other)
        }
        if (genuine.length < 100) genuine.push(file)
        for (const makerId of ['ada', 'cyd']) {
          const own = await fileOf(fixture, requestId, { kind: 'maker', makerId }).catch(() => null)
          if (own !== null) {
            expect(problemsOf(own)).toEqual([])
            if (genuine.length < 100) genuine.push(own)
          }
        }
      },
    ),
    { numRuns: RUNS, examples: EXAMPLES },
  )
  expect(Math.min(ended.trade, ended.none)).toBeGreaterThan(0)
})

test.skipIf(!hasPython)(
  `a verifier in Python says the same of them${hasPython ? '' : ' (skipped: there is no python3)'}`,
  () => {
    expect(genuine.length).toBeGreaterThan(10)
    expect(strangerSays(genuine)).toEqual(genuine.map(() => 'ok'))
    const answers = strangerSays(forged)
    // The whole file, so that what it took can be seen.
    expect(forged.filter((_, i) => answers[i] === 'ok')).toEqual([])
  },
)

it("the price of a maker that lost is in no file but its own, its taker's and the operator's", {
  timeout: 60_000 + RUNS * 500,
}, async () => {
  // A price that nothing else is likely to have.
  const CANARY = { price: 198_765, text: '0.198765' }
  let found = 0
  await fc.assert(
    fc.asyncProperty(HISTORY, async (history) => {
      const quote = { kind: 'quote', name: 'eve', price: CANARY.price, size: 1_000, expiresInMs: null } as const
      const others = history.steps.filter((step) => !('name' in step && step.name === 'eve'))
      const { fixture, requestId, takerSecret } = await playHistory({ ...history, steps: [quote, ...others] })
      const winner = fixture.auditLog.find(({ kind }) => kind === 'confirmed')
      if (winner !== undefined && 'makerId' in winner && winner.makerId === 'eve') return
      if (!fixture.auditLog.some(({ kind }) => kind === 'commit_started')) return
      for (const reader of [
        { kind: 'taker', takerSecret },
        { kind: 'operator' },
        { kind: 'maker', makerId: 'eve' },
      ] as const)
        expect(await fileOf(fixture, requestId, reader)).toContain(CANARY.text)
      for (const makerId of ['ada', 'bob', 'cyd', 'dan']) {
        const file = await fileOf(fixture, requestId, { kind: 'maker', makerId }).catch(() => '')
        expect(file).not.toContain(CANARY.text)
        expect(file).not.toContain('198765')
        if (file !== '') found += 1
      }
      const log = [
        await fixture.transparency.checkpoint(),
        await fixture.transparency.readTile({ level: 'entries', index: 0, width: 1 }),
      ]
      expect(JSON.stringify(log)).not.toContain('198765')
    }),
    { numRuns: Math.max(20, RUNS / 10) },
  )
  expect(found).toBeGreaterThan(5)
})
