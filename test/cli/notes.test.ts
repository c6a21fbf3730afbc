import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findNote, type Note, saveNote } from '../../src/cli/notes.ts'
import { usd6 } from '../../src/client/index.ts'
import type { StrikeBps } from '../../src/domain/units.ts'
import { temporaryDir } from './support.ts'

const noteOf = (requestId: string, createdAt: number): Note => ({
  createdAt,
  account: 'taker-1',
  request: {
    requestId,
    takerSecret: 'secret',
    seriesId: '1',
    seriesListed: true,
    makersConnected: 1,
    expiresAt: createdAt + 300_000,
    terms: {
      wallet: null,
      market: { conditionId: `0x${'1'.repeat(64)}`, yesTokenId: '1', question: null },
      option: { optionType: 'call', strikeBps: 4_500 as StrikeBps, expiryMs: 1 },
      trade: { side: 'buy', budget: usd6(100_000_000n) },
    },
  },
  commitment: null,
  fillHash: null,
})

test('a note is read as it was written, bigints and all, by its owner only', () => {
  const dir = temporaryDir()
  const note = noteOf('abc-1', 1)
  saveNote(dir, note)
  expect(findNote(dir, 'abc')).toEqual(note)
  expect((statSync(join(dir, 'requests', 'abc-1.json')).mode & 0o777).toString(8)).toBe('600')
})

test('the newest request is meant when none is named', () => {
  const dir = temporaryDir()
  for (const [id, createdAt] of [
    ['b', 2],
    ['c', 3],
    ['a', 1],
  ] as const)
    saveNote(dir, noteOf(id, createdAt))
  expect(findNote(dir, undefined).request.requestId).toBe('c')
})

test('without any request the way to one is told', () => {
  expect(() => findNote(temporaryDir(), undefined)).toThrow(
    expect.objectContaining({ exitCode: 5, hint: 'rfqctl taker request @1 --budget 100' }),
  )
})

test.each(['../../escape', 'a/b', '', 'a'.repeat(65)])(
  'an id that would lead elsewhere is not kept: %j',
  (requestId) => {
    expect(() => saveNote(temporaryDir(), noteOf(requestId, 1))).toThrow(
      expect.objectContaining({ code: 'bad_request_id' }),
    )
  },
)
