import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findNote, saveNote } from '../../../src/cli/context/notes.ts'
import { noteOf } from '../note-fixture.ts'
import { temporaryDir } from '../support.ts'

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
