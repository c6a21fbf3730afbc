import { writeFileSync } from 'node:fs'
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
import { LOG_KEYS, NO_OPENING, refusal } from '../support/test-relay.ts'
import { run, temporaryDir } from './support.ts'

const [KEY] = openKeys(LOG_KEYS).verifierKeys.map(encodeVerifierKey) as [string]
const [OTHER_KEY] = openKeys({ ...LOG_KEYS, seeds: ['5c'.repeat(32)] }).verifierKeys.map(encodeVerifierKey) as [string]

/** A relay with one trade, and the file of it. */
async function traded() {
  const fixture = await startServer({
    relay: KEYS,
    fixture: { hasTransparencyLog: true },
    server: { operatorToken: 'the-token-of-the-operator' },
  })
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
    openingOf: NO_OPENING,
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

/** Runs a monitor until it begins its second look, if nothing ends it before. */
async function monitor(
  { transparency, url }: Awaited<ReturnType<typeof startServer>>,
  cwd: string,
  more: readonly string[] = ['--json'],
) {
  const stop = new AbortController()
  const { checkpoint } = transparency
  let looks = 0
  transparency.checkpoint = () => {
    looks += 1
    if (looks === 2) stop.abort({ kind: 'signal', signal: 'SIGINT' })
    return checkpoint()
  }
  try {
    return await run(['audit', 'monitor', '--url', url, '--every', '10ms', ...more], { cwd, stop: stop.signal })
  } finally {
    transparency.checkpoint = checkpoint
  }
}

test('a monitor follows the log, and ends with both checkpoints when it has two histories', async () => {
  const { fixture, cwd } = await traded()
  const first = await monitor(fixture, cwd)
  expect(first).toMatchObject({ code: 130, stderr: '' })
  expect(first.stdout.trim().split('\n')).toHaveLength(1)
  await lookedFor(fixture)
  expect((await monitor(fixture, cwd)).stdout.trim().split('\n')).toHaveLength(1)
  expect(await monitor(fixture, cwd)).toMatchObject({ code: 130, stdout: '' })

  const fork = forkedLog()
  for (let i = 0; i < 40; i += 1) fork.add(i)
  await fork.note()
  fixture.transparency.checkpoint = fork.log.checkpoint
  fixture.transparency.readTile = fork.log.readTile
  const found = await monitor(fixture, cwd)
  expect(found.code).toBe(9)
  const { now, seen } = JSON.parse(found.stderr.trim().split('\n').at(-1) as string)
  expect(now).toBe(await fork.note())
  expect(seen).toContain('rfqctl.log/test')
})

test('a monitor tells a log that has become smaller', async () => {
  const { fixture, cwd } = await traded()
  await monitor(fixture, cwd)
  const fork = forkedLog()
  fork.add(1)
  await fork.note()
  fixture.transparency.checkpoint = fork.log.checkpoint
  fixture.transparency.readTile = fork.log.readTile
  expect((await monitor(fixture, cwd)).code).toBe(9)
})

test('a monitor of a log without an entry says so', async () => {
  const fixture = await startServer({ relay: KEYS, fixture: { hasTransparencyLog: true } })
  const { code, stderr } = await monitor(fixture, temporaryDir(), [])
  expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining('The log has no entry yet.') })
})

test('a monitor follows a rotation of the key, and no key that no known one signed beside', async () => {
  const { fixture, cwd } = await traded()
  const storage = createMemoryStorage()
  const seedsOf = (...seeds: string[]) => openKeys({ ...LOG_KEYS, seeds })
  const [old, fresh, foreign] = [LOG_KEYS.seeds[0] as string, '5c'.repeat(32), '6d'.repeat(32)]
  let at = 0
  /** The relay as it starts again with other keys, and has a further leaf. */
  async function restart(...seeds: string[]) {
    const clock = { ...createFakeClock(), schedule: () => () => {} }
    const log = createTransparencyLog({
      openingOf: NO_OPENING,
      storage,
      keys: seedsOf(...seeds),
      clock,
      log: createFakeLog(),
    })
    at += 1
    log.add({ at, requestId: 'r', kind: 'commit_refused', code: `c${at}` })
    await log.advance()
    Object.assign(fixture.transparency, { keys: log.keys, checkpoint: log.checkpoint, readTile: log.readTile })
    return await monitor(fixture, cwd)
  }
  for (const seeds of [[old], [fresh, old], [fresh]]) {
    const { code, stdout } = await restart(...seeds)
    expect({ code, size: JSON.parse(stdout).size }).toEqual({ code: 130, size: at })
  }
  const { code, stderr } = await restart(foreign)
  expect(code).toBe(9)
  expect(stderr).toContain('not signed')
})

test('the quality of makers is the same by the relay and by its files', async () => {
  const { fixture, cwd } = await traded()
  const { url } = fixture
  const operator = { environment: { OPERATOR_TOKEN: 'the-token-of-the-operator' }, cwd }
  const asked = await run(['audit', 'quality', '--url', url, '--json'], operator)
  const [own] = JSON.parse(asked.stdout).makers
  expect(own).toMatchObject({ makerId: 'ada', asked: 1, signed: 1, requests: 1 })
  const [filed] = JSON.parse((await run(['audit', 'quality', 'trade.json', '--json'], { cwd })).stdout).makers
  expect({ ...filed, pseudonym: own.pseudonym }).toEqual(own)
  const maker = { environment: { RFQCTL_API_KEY: 'key-of-ada' }, cwd }
  expect((await run(['audit', 'quality', '--url', url], maker)).stdout).toMatch(/^\d{4}-\d\d\n.*maker.*\n.*ada +1/)
  const anyone = await run(['audit', 'quality', '--url', url], { cwd })
  expect(anyone.stdout).toContain(own.pseudonym)
  expect(anyone.stdout).not.toContain('ada')
  expect((await run(['audit', 'quality', '--url', url, '--month', '1999-12'], { cwd })).stdout).toBe(
    '1999-12: no maker\n',
  )
  expect((await run(['audit', 'quality', '--month', 'May'], { cwd })).code).toBe(2)
})

test('no figure comes from a file that is not true', async () => {
  const { cwd, file } = await traded()
  writeFileSync(join(cwd, 'trade.json'), file.replace(/"makersConnected":\d/, '"makersConnected":7'))
  expect(await run(['audit', 'quality', 'trade.json'], { cwd })).toMatchObject({
    code: 9,
    stdout: '',
    stderr: expect.stringContaining('trade.json: Line 1 is not in the log'),
  })
  expect((await run(['audit', 'quality', 'trade.json', '--log-key', 'nonsense'], { cwd })).code).toBe(2)
  writeFileSync(join(cwd, 'trade.json'), file)
  writeFileSync(join(cwd, 'copy.json'), file)
  expect(await run(['audit', 'quality', 'trade.json', 'copy.json'], { cwd })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('copy.json is of the same request as trade.json'),
  })
})

test('a relay without a log is no relay to wait for', async () => {
  const { url } = await startServer({ relay: KEYS })
  const refused = { code: 5, stdout: '', stderr: expect.stringContaining('the relay has no transparency log') }
  const cwd = temporaryDir()
  expect(await run(['audit', 'monitor', '--url', url], { cwd })).toMatchObject(refused)
  expect(await run(['audit', 'quality', '--url', url], { cwd })).toMatchObject(refused)
  const requestId = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const environment = { RFQCTL_API_KEY: 'key' }
  expect(await run(['audit', 'transcript', requestId, '--url', url], { cwd, environment })).toMatchObject(refused)
})
