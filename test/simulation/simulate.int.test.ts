import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))
const run = promisify(execFile)

const digestOf = async (seed: string): Promise<string | undefined> => {
  const { stdout } = await run(process.execPath, [RUN, '--seed', seed, '--busy', '1'])
  return /digest ([0-9a-f]{16})/.exec(stdout)?.[1]
}

it('a seed runs bit for bit alike in two processes', async () => {
  const [first, again] = await Promise.all([digestOf('7'), digestOf('7')])
  expect(first).toMatch(/^[0-9a-f]{16}$/)
  expect(again).toBe(first)
})

it('each edit of a planted fault finds its place in the source, and one fault is found', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await run(process.execPath, [RUN, '--planted', '--only', 'the signature of anyone counts'])
  expect(stdout).toContain('found by seed')
})
