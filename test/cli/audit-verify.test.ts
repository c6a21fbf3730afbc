import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import { encodeVerifierKey } from '../../src/protocol/domain/checkpoint.ts'
import { openKeys } from '../../src/relay/adapters/transparency/keys.ts'
import { createMemoryStorage } from '../../src/relay/adapters/transparency/memory-storage.ts'
import { createTransparencyLog } from '../../src/relay/adapters/transparency/transparency-log.ts'
import { KEYS, startServer } from '../relay/server/support.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { fileOf } from '../support/play-history.ts'
import { LOG_KEYS, refusal } from '../support/test-relay.ts'
import { run, temporaryDir } from './support.ts'

const [KEY] = openKeys(LOG_KEYS).verifierKeys.map(encodeVerifierKey) as [string]
const [OTHER_KEY] = openKeys({ ...LOG_KEYS, seeds: ['5c'.repeat(32)] }).verifierKeys.map(encodeVerifierKey) as [string]

/** A relay with one trade, and the file of it. */
async function traded() {
  const fixture = await startServer({ relay: KEYS, fixture: { hasTransparencyLog: true } })
  const { requestId } = await fixture.trade()
  const cwd = temporaryDir()
  const file = await fileOf(fixture, requestId, { kind: 'operator' })
  writeFileSync(join(cwd, 'trade.json'), file)
  return { fixture, cwd, file, verify: (...more: string[]) => run(['audit', 'verify', 'trade.json', ...more], { cwd }) }
}

/** A further request with a commit, whose entries are in the log. */
async function lookedFor(fixture: Awaited<ReturnType<typeof startServer>>): Promise<void> {
  const { requestId } = await fixture.open()
  await refusal(fixture.commit(requestId))
  await fixture.publish()
}

test('a true file is verified without a relay, and its winner named', async () => {
  const { verify } = await traded()
  const { code, stdout } = await verify('--log-key', KEY)
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The file is true:[\s\S]*ada won/) })
  const { stdout: json, stderr } = await verify('--json')
  expect(JSON.parse(json)).toMatchObject({ type: 'verified', isWhole: true, winner: { makerId: 'ada' }, omitted: 0 })
  expect(stderr).toBe('')
})

test('each fault of a file is a sentence, and the exit code is that of a corrupt file', async () => {
  const { verify, cwd, file } = await traded()
  expect(await verify('--log-key', OTHER_KEY)).toMatchObject({
    code: 9,
    stdout: '',
    stderr: expect.stringContaining('The checkpoint is signed by no key that was given.'),
  })
  writeFileSync(join(cwd, 'trade.json'), file.replace(/"makersConnected":\d/, '"makersConnected":7'))
  expect(await verify()).toMatchObject({ code: 9, stderr: expect.stringContaining('Line 1 is not in the log') })
  writeFileSync(join(cwd, 'trade.json'), `${file} `)
  expect(await verify()).toMatchObject({ code: 9, stderr: expect.stringContaining('not written as its format asks') })
  expect((await run(['audit', 'verify', 'none.json'], { cwd })).code).toBe(5)
  expect((await verify('--log-key', 'nonsense')).code).toBe(2)
})

test('the log of a file is compared with a checkpoint that was seen', async () => {
  const { fixture, verify, cwd } = await traded()
  const { url } = fixture
  const same = (await fixture.transparency.checkpoint()) as string
  writeFileSync(join(cwd, 'seen'), same)
  expect((await verify('--checkpoint', 'seen')).code).toBe(0)
  await lookedFor(fixture)
  writeFileSync(join(cwd, 'seen'), (await fixture.transparency.checkpoint()) as string)
  expect(await verify('--checkpoint', 'seen')).toMatchObject({ code: 9, stderr: expect.stringContaining('give --url') })
  expect((await verify('--checkpoint', 'seen', '--url', url)).code).toBe(0)
  const fork = forkedLog()
  for (let i = 0; i < 20; i += 1) fork.add(i)
  writeFileSync(join(cwd, 'seen'), await fork.note())
  expect(await verify('--checkpoint', 'seen', '--url', url)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('is not true'),
  })
})

/** A log of the same key with other entries. */
function forkedLog() {
  const log = createTransparencyLog({
    storage: createMemoryStorage(),
    keys: openKeys(LOG_KEYS),
    clock: { ...createFakeClock(), schedule: () => () => {} },
    log: createFakeLog(),
  })
  const entryOf = (at: number): AuditEntry => ({ at, requestId: 'fork', kind: 'commit_refused', code: `c${at}` })
  return {
    log,
    add: (at: number) => log.add(entryOf(at)),
    note: async () => {
      await log.advance()
      return (await log.checkpoint()) as string
    },
  }
}

test('a monitor follows the log, and ends with both checkpoints when it has two histories', async () => {
  const { fixture, cwd } = await traded()
  const { url } = fixture
  const monitor = () => run(['audit', 'monitor', '--url', url, '--every', '10ms', '--for', '300ms', '--json'], { cwd })
  const first = await monitor()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout.trim().split('\n')).toHaveLength(1)
  await lookedFor(fixture)
  expect((await monitor()).stdout.trim().split('\n')).toHaveLength(1)
  expect(await monitor()).toMatchObject({ code: 0, stdout: '' })

  const fork = forkedLog()
  for (let i = 0; i < 40; i += 1) fork.add(i)
  await fork.note()
  fixture.transparency.checkpoint = fork.log.checkpoint
  fixture.transparency.readTile = fork.log.readTile
  const found = await monitor()
  expect(found.code).toBe(9)
  const { now, seen } = JSON.parse(found.stderr.trim().split('\n').at(-1) as string)
  expect(now).toBe(await fork.note())
  expect(seen).toContain('rfqctl.log/test')
})

test('a monitor tells a log that has become smaller', async () => {
  const { fixture, cwd } = await traded()
  const monitor = () =>
    run(['audit', 'monitor', '--url', fixture.url, '--every', '10ms', '--for', '200ms', '--json'], { cwd })
  await monitor()
  const fork = forkedLog()
  fork.add(1)
  await fork.note()
  fixture.transparency.checkpoint = fork.log.checkpoint
  fixture.transparency.readTile = fork.log.readTile
  expect((await monitor()).code).toBe(9)
  expect(readFileSync(join(cwd, 'trade.json'), 'utf8')).toContain('rfqctl-transcript-1')
})
