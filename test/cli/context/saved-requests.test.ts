import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Cli } from '../../../src/cli/cli.ts'
import { findSavedRequest, saveRequest } from '../../../src/cli/context/saved-requests.ts'
import { savedRequestOf } from '../saved-request-fixture.ts'
import { temporaryDir } from '../support.ts'

const CLI = { environment: {}, cwd: '/' } as unknown as Cli

test('a saved request is read as it was written, bigints and all, by its owner only', () => {
  const dir = temporaryDir()
  const saved = savedRequestOf('abc-1', 1)
  saveRequest(dir, saved)
  expect(findSavedRequest(CLI, { dataDir: dir }, 'abc')).toEqual(saved)
  expect((statSync(join(dir, 'requests', 'abc-1.json')).mode & 0o777).toString(8)).toBe('600')
})

test('the newest request is meant when none is named', () => {
  const dir = temporaryDir()
  for (const [id, createdAt] of [
    ['b', 2],
    ['c', 3],
    ['a', 1],
  ] as const)
    saveRequest(dir, savedRequestOf(id, createdAt))
  expect(findSavedRequest(CLI, { dataDir: dir }, undefined).request.requestId).toBe('c')
})

test('without any request the next step is shown', () => {
  expect(() => findSavedRequest(CLI, { dataDir: temporaryDir() }, undefined)).toThrow(
    expect.objectContaining({ exitCode: 5, hint: 'rfqctl taker request @1 --budget 100' }),
  )
})

test.each(['../../escape', 'a/b', '', 'a'.repeat(65)])(
  'an id that would lead elsewhere is not kept: %j',
  (requestId) => {
    expect(() => saveRequest(temporaryDir(), savedRequestOf(requestId, 1))).toThrow(
      expect.objectContaining({ code: 'bad_request_id' }),
    )
  },
)
