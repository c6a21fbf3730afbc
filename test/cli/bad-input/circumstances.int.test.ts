import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Environment } from '../../../src/relay/config/sources.ts'
import { rpc } from '../../kit/plays.ts'
import { type HttpServer, openHttpServer } from '../../kit/server.ts'
import { run, temporaryDir } from '../support.ts'
import { type Leaf, leaves, takes } from './leaves.ts'
import { leftBehind } from './left-behind.ts'

const all = await leaves()

/** They follow a relay, and wait for one that has gone to come back. */
const FOLLOWING = ['maker simulate', 'maker stream', 'events tail', 'taker watch', 'taker simulate', 'audit monitor']

/** They need nobody, as their examples stand. */
const SELF_CONTAINED = ['init', 'up', 'serve', 'demo', 'chain start', 'config view', 'trigger', 'taker requests']

/** It is asked of a market; the wallet that was named signs later. A deployment looks at its chain first, a plan needs no key, and trigger lists. */
const NO_KEY_FIRST = [
  'taker request',
  'chain deploy',
  'chain signer create',
  'wallet import',
  'trigger',
  'markets import',
]

const outside = ({ path }: Leaf): boolean => ![...FOLLOWING, ...SELF_CONTAINED].includes(path)

/** What a node of another chain answers, where none of our contracts is. */
const OTHER_CHAIN: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x89',
  web3_clientVersion: 'Geth/v1',
  eth_call: '0x',
  eth_getCode: '0x',
  eth_blockNumber: '0x1',
  eth_getBlockByNumber: { number: '0x1', timestamp: '0x6553f100', transactions: [] },
}

let otherChain: HttpServer
beforeAll(async () => {
  otherChain = await openHttpServer(rpc(({ method }) => OTHER_CHAIN[method]))
})
afterAll(() => otherChain.close())

/** The grammar of every refusal: what happened, why, one thing to do. */
const REFUSAL = /^(?:.*\n)*error: .+\n( {2}.+\n)* {2}try: .+\n$/

/** What is said of it, in the grammar of all refusals, or as the last line of the log that a service writes where it is looked after. */
function refusalIn(stderr: string): string | null {
  if (REFUSAL.test(stderr)) return /^error: (.*)$/m.exec(stderr)?.[1] ?? null
  if (!/^(\{.*\}\n)+$/.test(stderr)) return null
  const { level, reason, hint } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
  return level === 'error' && typeof hint === 'string' ? reason : null
}

/** How commands end in a circumstance, a line each: exit code, and what is said. Nothing is changed by any of them. */
async function endings(
  list: readonly Leaf[],
  prepare: () => { cwd: string; argv?: readonly string[]; environment?: Environment },
): Promise<string> {
  const told: string[] = []
  const wrong: unknown[] = []
  for (const leaf of list) {
    const { path, good } = leaf
    // Whatever listens here does so where nothing else does.
    const port = takes('--port')(leaf) ? ['--port', '0'] : []
    const { cwd, argv = [], environment = {} } = prepare()
    const before = contentsOf(cwd)
    const { code, stdout, stderr } = await run([...good, ...port, ...argv], { cwd, environment })
    const happened = refusalIn(stderr)
    const isUnchanged = isDeepStrictEqual(contentsOf(cwd), before)
    if (stdout !== '' || !isUnchanged || happened === null) wrong.push({ path, stdout, stderr, isUnchanged })
    told.push(`${String(code).padStart(2)}  ${path.padEnd(24)} ${plain(happened ?? '', cwd)}`)
  }
  expect(wrong).toEqual([])
  return `${told.join('\n')}\n`
}

const plain = (text: string, cwd: string): string => text.replaceAll(cwd, 'DIR').replace(/127\.0\.0\.1:\d{3,}/g, 'NODE')

/** Every file below a directory with its bytes. */
const contentsOf = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(dir, path)).isFile())
      .map((path) => [path, readFileSync(join(dir, path), 'utf8')]),
  )

const snapshot = (name: string): string => `__snapshots__/${name}.txt`

test('without a relay so far', async () => {
  const list = all.filter(outside).filter((leaf) => takes('--url')(leaf) && leaf.path !== 'doctor')
  expect(list.length).toBeGreaterThan(25)
  const environment = { RFQCTL_URL: 'http://127.0.0.1:2' }
  await expect(await endings(list, () => ({ cwd: temporaryDir(), environment }))).toMatchFileSnapshot(
    snapshot('no-relay'),
  )
})

test('after the relay has gone', async () => {
  const list = all.filter(outside).filter((leaf) => takes('--url')(leaf) && leaf.path !== 'doctor')
  await expect(await endings(list, () => ({ cwd: leftBehind() }))).toMatchFileSnapshot(snapshot('relay-gone'))
})

test('after the relay has gone, followers say that they try again, until they are stopped', async () => {
  for (const { path, words } of all.filter((leaf) => FOLLOWING.includes(leaf.path))) {
    const end = new AbortController()
    const onText = (text: string) => {
      if (/lost the connection to the relay; trying again in|cannot be reached/.test(text))
        end.abort({ kind: 'signal', signal: 'SIGINT' })
    }
    const { code } = await run(words, { cwd: leftBehind(), stop: end.signal, onStdout: onText, onStderr: onText })
    expect({ path, code }).toEqual({ path, code: 130 })
  }
})

test('after the chain has gone, for commands about a chain alone', async () => {
  const list = all.filter(outside).filter((leaf) => takes('--rpc')(leaf) && !takes('--url')(leaf))
  expect(list.length).toBeGreaterThan(4)
  await expect(await endings(list, () => ({ cwd: leftBehind() }))).toMatchFileSnapshot(snapshot('chain-gone'))
})

test('with another chain at the address, for commands about a chain alone', async () => {
  const list = all
    .filter(outside)
    .filter((leaf) => takes('--rpc')(leaf) && !takes('--url')(leaf) && leaf.path !== 'chain status')
  const prepare = () => ({ cwd: leftBehind({ rpcUrl: otherChain.url }) })
  await expect(await endings(list, prepare)).toMatchFileSnapshot(snapshot('other-chain'))
})

test('with a keystore that does not open: nothing else was tried before (fault K2)', async () => {
  const list = all.filter(takes('--key-file')).filter(({ path }) => !NO_KEY_FIRST.includes(path))
  expect(list.length).toBeGreaterThan(15)
  const environment = { RFQCTL_KEYSTORE_PASSWORD: 'wrong' }
  const argv = ['--key-file', '.rfqctl/keystores/desk.json']
  const told = await endings(list, () => ({ cwd: leftBehind(), argv, environment }))
  expect(
    told
      .trimEnd()
      .split('\n')
      .filter((line) => !/^ 4 {2}.* wrong password for /.test(line)),
  ).toEqual([])
})

test('with an impossible data directory', async () => {
  const list = all.filter(({ path }) => ['up', 'serve', 'wallet create', 'db check', 'db backup'].includes(path))
  const prepare = () => {
    const cwd = temporaryDir()
    writeFileSync(join(cwd, 'file'), '')
    return { cwd, argv: ['--data-dir', 'file/below'], environment: { RFQCTL_KEYSTORE_PASSWORD: 'long enough' } }
  }
  await expect(await endings(list, prepare)).toMatchFileSnapshot(snapshot('no-data-dir'))
})
