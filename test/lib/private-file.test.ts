import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPrivateJson, writePrivateJson } from '../../src/lib/private-file.ts'
import { temporaryDir } from '../cli/support.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('its content can be read by its owner only, and no partial write stays', () => {
  const dir = join(temporaryDir(), 'data')
  const path = join(dir, 'sandbox.json')
  writePrivateJson(path, { a: 1 })
  writePrivateJson(path, { a: 2 })
  expect(readPrivateJson(path)).toEqual({ a: 2 })
  expect([modeOf(dir), modeOf(path)]).toEqual(['700', '600'])
  expect(readdirSync(dir)).toEqual(['sandbox.json'])
})

test('a file that is not there is nothing', () => {
  expect(readPrivateJson(join(temporaryDir(), 'none.json'))).toBeNull()
})

test.each(['', '{', 'null', '[]', '7'])('a file that is no object is corrupt: %j', (content) => {
  const path = join(temporaryDir(), 'sandbox.json')
  writeFileSync(path, content)
  expect(() => readPrivateJson(path)).toThrow(expect.objectContaining({ code: 'corrupt_file', exitCode: 9 }))
})
