import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serveFrom } from '../cli/serving.ts'
import { run, temporaryDir } from '../cli/support.ts'
import { openTerminal, shownAs, typedSteps } from './typed-page.ts'

const PAGE = readFileSync(new URL('../../docs/guides/packages.md', import.meta.url), 'utf8')

/** All that is typed on the page beside the running market. */
const STEPS = typedSteps(PAGE.slice(PAGE.indexOf('## A call spread'), PAGE.indexOf('## From a program')))

/** A market with three makers, as `up` starts it. */
async function openMarket() {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const end = new AbortController()
  let connected = 0
  let makers: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    const onStdout = (text: string) => {
      connected += text.split('\n').filter((line) => line.includes('connected')).length
      if (connected >= 3) resolve()
    }
    makers = run(['maker', 'simulate', '--count', '3'], { cwd, stop: end.signal, onStdout })
  })
  const close = async () => {
    end.abort({ kind: 'signal', signal: 'SIGTERM' })
    await makers
  }
  return { cwd, close }
}

test('each command of "Packages in ten minutes" shows what the page says', async () => {
  const { cwd, close } = await openMarket()
  const { type } = openTerminal(cwd, {})
  expect(STEPS.length).toBeGreaterThan(5)
  for (const { lines, seen } of STEPS) {
    let shown = ''
    for (const line of lines) {
      const { code, stdout, stderr } = await type(line.replace(/^npx /, ''))
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
      shown += stdout + stderr
    }
    for (const line of seen) expect(shown).toMatch(shownAs(line))
  }
  await close()
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
