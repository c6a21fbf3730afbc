import { expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const CONDITION = `0x${'7e'.repeat(32)}`

test('the first series of an unlisted market is made from its ids, and can be asked for at once', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const json = async (line: string) => {
    const { stdout, stderr, code } = await run([...line.split(' '), '--json'], { cwd })
    return code === 0 ? JSON.parse(stdout) : JSON.parse(stderr)
  }
  const expires = `${new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)}Z`
  const created = await json(
    `series create --condition-id ${CONDITION} --yes-token 4242 --type call --strike-bps 2500 --expires ${expires}`,
  )
  expect(created).toMatchObject({ type: 'series_created', conditionId: CONDITION, expiry: Date.parse(expires) / 1_000 })
  const { seriesId } = created
  expect(await json(`series get ${seriesId}`)).toMatchObject({ seriesId, strikeBps: 2_500, state: 'open' })
  expect(await json(`taker request ${seriesId} --budget 10`)).toMatchObject({ type: 'request', seriesId })
})

test('a series is made also when the relay that is asked runs on another chain', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const { url } = await serveFrom(temporaryDir())
  const line = `series create --condition-id ${CONDITION} --yes-token 4242 --type put --strike-bps 2500 --expires-in 1d`
  expect(await run([...line.split(' '), '--url', url], { cwd })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the relay does not list it yet'),
  })
})

test.each([
  ['series create --type call --strike-bps 2500 --expires-in 1d', 'no market given'],
  [`series create --condition-id ${CONDITION} --type call --strike-bps 2500 --expires-in 1d`, 'go together'],
  [
    `series create @1 --condition-id ${CONDITION} --yes-token 1 --type call --strike-bps 2500 --expires-in 1d`,
    'cannot be combined',
  ],
  [`series create --condition-id ${CONDITION} --yes-token 1 --type call --strike-bps 2500`, 'no expiry given'],
  ['series create @1 --type call --strike-bps 2500 --expires tomorrow', 'Expected a time in UTC'],
  ['series create @1 --type call --strike-bps 2500 --yes-token 0x12', 'Expected the decimal id of a token'],
])('"%s" is refused', async (line, words) => {
  const cwd = temporaryDir()
  if (!/Expected/.test(words)) await serveFrom(cwd, { hasChain: true })
  const { code, stderr } = await run(line.split(' '), { cwd })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) })
})
