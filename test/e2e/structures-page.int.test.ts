import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectMakers, serveFrom } from '../cli/serving.ts'
import { run, temporaryDir } from '../cli/support.ts'
import { openTerminal, typedSteps, walk } from './typed-page.ts'

const PAGE = readFileSync(new URL('../../docs/guides/packages.md', import.meta.url), 'utf8')

/** All that is typed on the page beside the running market. */
const STEPS = typedSteps(PAGE.slice(PAGE.indexOf('## A call spread'), PAGE.indexOf('## From a program')))

test('each command of "Packages in ten minutes" shows what the page says', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const stopMakers = await connectMakers(cwd, 3)
  expect(STEPS.length).toBeGreaterThan(5)
  await walk(STEPS, openTerminal(cwd, {}).type)
  await stopMakers()
})

test('an impossible package is refused before anything is sent, with a way out', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const refusal = async (...argv: string[]) => {
    const { code, stderr } = await run(['taker', ...argv, '--budget', '10', '--json'], { cwd })
    const { code: name, error: message } = JSON.parse(stderr)
    return { code, name, message }
  }
  const invalid = { code: 2, name: 'invalid_package' }
  expect(await refusal('spread', '@1', '@2')).toEqual({
    ...invalid,
    message: 'a spread is of two calls or of two puts',
  })
  expect(await refusal('strangle', '@1', '@3')).toEqual({ ...invalid, message: 'a strangle is of a put and a call' })
  expect(await refusal('package', '--leg', '+1@1', '--leg', '-1@7')).toMatchObject({
    ...invalid,
    message: expect.stringContaining('differ in market or expiry'),
  })
  expect(await refusal('package', '--leg', '+2@1', '--leg', '-2@3')).toMatchObject(invalid)
  expect(await refusal('package', '--leg', '+1@1', '--leg', '+1@1')).toMatchObject(invalid)
  // A box pays the same whatever happens.
  const box = ['+1@1', '-1@3', '+1@4', '-1@2'].flatMap((leg) => ['--leg', leg])
  expect(await refusal('package', ...box)).toMatchObject(invalid)
  const { stderr } = await run(['taker', 'spread', '@1', '@3', '--json'], { cwd })
  expect(JSON.parse(stderr)).toMatchObject({ error: 'no amount given' })
})
