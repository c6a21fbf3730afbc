import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A configured maker key and whose it is. */
export type MakerKey = { apiKey: string; makerId: string }

/** More makers than a test file needs: each test takes fresh ones, so that tests can run side by side. */
const KEYS_PER_FILE = 52

const SUITE = fileURLToPath(new URL('../', import.meta.url))

/** Makers of one test file, named after it. */
export const keysOf = (file: string): MakerKey[] =>
  Array.from({ length: KEYS_PER_FILE }, (_, index) => {
    const makerId = `${basename(file, '.test.ts')}-${index}`
    return { apiKey: `key-${makerId}`, makerId }
  })

/** Makers of all files of the suite, as `MAKER_API_KEYS` wants them. */
export const allKeys = (): MakerKey[] =>
  readdirSync(SUITE)
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap(keysOf)
