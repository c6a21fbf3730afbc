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

it('a planted fault is found', { timeout: 600_000 }, async () => {
  const { stdout } = await run(process.execPath, [RUN, '--planted', '--only', 'the signature of anyone counts'])
  expect(stdout).toContain('found by seed')
})

it.each([
  [['--seed', 'abc'], '--seed must be a whole number'],
  [['--seeds', '5..1'], '--seeds must begin with the smaller one'],
  [['--seeds', '5'], '--seeds must be A..B'],
  [['--minutes', '0'], '--minutes must be a number of at least 0.1'],
  [['--planted', '--only', 'no such fault'], '--only names no planted fault'],
  [['--pace', 'night'], '--pace must be busy or day'],
  [['--plan', RUN], '--plan names no plan'],
  [['--sead', '1'], "Unknown option '--sead'"],
])('arguments that ask for no run are refused, not held: %j', async (given, sentence) => {
  const refused = expect.objectContaining({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
  await expect(run(process.execPath, [RUN, ...given])).rejects.toEqual(refused)
})
