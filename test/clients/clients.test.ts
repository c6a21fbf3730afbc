import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { verifyTypedData } from 'ethers'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { ORDER_TYPES, orderDomain } from '../../src/protocol/domain/order.ts'
import { temporaryDirOfFile } from '../cli/support.ts'
import { ROOT } from '../kit/build.ts'
import { rpc } from '../kit/plays.ts'
import { httpServer } from '../kit/server.ts'
import { ADA, openBody, startServer, type TestServer } from '../relay/server/support.ts'
import { createTcpProxy } from '../support/tcp-proxy.ts'
import { CALL_BUY, TAKER } from '../support/test-relay.ts'

const PRIVATE_KEY = `0x${'a1'.repeat(32)}` as const
const API_KEY = ADA['x-api-key']

const dir = temporaryDirOfFile()

/** A Python that has the one package which the example needs; undefined where there is none. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (python) => spawnSync(python, ['-c', 'import websockets']).status === 0,
)

/** What starts a maker at an address: a command with its arguments. */
type Start = (url: string, fixture: TestServer) => [command: string, ...args: string[]]

const inNode =
  (stream: string, socket: string, signer: string): Start =>
  (url) => {
    const input = { url, apiKey: API_KEY, privateKey: PRIVATE_KEY, stream, socket, signer }
    return [process.execPath, join(import.meta.dirname, 'strangers', 'maker.mjs'), JSON.stringify(input)]
  }

const inPython =
  (rpcUrl: string | null): Start =>
  (url, { relay }) => {
    const { chainId, settlementAddress } = relay.environment
    const makers = [{ apiKey: API_KEY, privateKey: PRIVATE_KEY }]
    writeFileSync(join(dir, 'sandbox.json'), JSON.stringify({ url, rpcUrl, chainId, settlementAddress, makers }))
    return [PYTHON as string, join(ROOT, 'examples', 'python', 'maker.py'), dir]
  }

/** A node whose next block has this time, Unix seconds. */
const startNode = async (time: number): Promise<string> =>
  (await httpServer(rpc(() => ({ timestamp: `0x${time.toString(16)}` })))).url

/** A maker that runs; `said` are its lines. It is gone when the test ends. */
function run([command, ...args]: [string, ...string[]]): { said: () => string[] } {
  const child = spawn(command, args, {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (piece) => (text += piece))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'close')
  })
  return { said: () => text.split('\n') }
}

async function makesAMarket(start: Start): Promise<void> {
  const fixture = await startServer()
  const { chainId, settlementAddress } = fixture.relay.environment
  const domain = orderDomain(chainId, settlementAddress)
  const proxy = await createTcpProxy({ host: '127.0.0.1', port: fixture.port })
  onTestFinished(proxy.close)
  const { said } = run(start(`http://127.0.0.1:${proxy.port}`, fixture))
  const open = async () => String((await fixture.call('POST', '/quote-requests', { body: openBody() })).body.requestId)
  const isQuoted = (requestId: string) =>
    expect
      .poll(async () => (await fixture.call('GET', `/quote-requests/${requestId}/quotes`)).body.quoteCount, {
        message: said().join('\n'),
      })
      .toBe(1)
  const isConnected = () =>
    expect
      .poll(async () => (await fixture.call('GET', '/maker/v1/status')).body, { interval: 50 })
      .toMatchObject({ makersConnected: 1, socketsConnected: 1 })

  const before = await open()
  await isConnected()
  await isQuoted(before)
  const live = await open()
  await isQuoted(live)

  proxy.cut()
  await expect
    .poll(async () => (await fixture.call('GET', '/maker/v1/status')).body)
    .toMatchObject({ makersConnected: 0, socketsConnected: 0 })
  const missed = await open()
  proxy.pass()
  await isQuoted(missed)
  await isConnected()

  for (const requestId of [live, missed]) {
    const { status, body } = await fixture.call('POST', `/quote-requests/${requestId}/commit`, {
      body: { wallet: TAKER },
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    const { order, makerSignature } = body.onchain as { order: Record<string, unknown>; makerSignature: string }
    const signer = verifyTypedData(domain, { Order: [...ORDER_TYPES.Order] }, order, makerSignature)
    expect(signer).toBe(privateKeyToAddress(PRIVATE_KEY))
  }
  await expect.poll(() => said().filter((line) => line === 'quote:confirmed')).toHaveLength(2)
  // A second snapshot would have told of the open ones again.
  const heard = said().filter((line) => line.startsWith('quote_request '))
  expect(heard).toEqual([before, live, missed].map((requestId) => `quote_request ${requestId}`))
  expect(said().filter((line) => /refused|v1\/mm/.test(line))).toEqual([])
}

test.each([
  ['eventsource, ws and ethers', inNode('eventsource', 'ws, key in a message', 'ethers')],
  ['fetch-event-source, undici and web3', inNode('fetch-event-source', 'undici, key in the query', 'web3')],
  ['undici and ethers', inNode('undici', 'undici, key in the header', 'ethers')],
])('a maker on %s trades, and receives once what it missed while it was cut off', (_, start) => makesAMarket(start))

test.skipIf(PYTHON === undefined)(
  'the maker in Python trades, and receives once what it missed while it was cut off',
  () => makesAMarket(inPython(null)),
)

/** How far the chain of a sandbox is moved ahead of the clock, seconds. */
const WARP_S = 22 * 3_600

test.skipIf(PYTHON === undefined).each([
  ['signs what it won on a chain that was moved ahead of the clock', WARP_S, { success: true }],
  ['declines an order that is open for longer than its own node allows', 0, { code: 'no_maker_confirmed' }],
])('the maker in Python %s', async (_, nodeAheadS, answer) => {
  const fixture = await startServer()
  const nowS = Math.floor(Date.now() / 1_000)
  fixture.chain.aheadS = nowS + WARP_S - fixture.clock.now() / 1_000
  const option = { ...CALL_BUY.option, expiryMs: (nowS + WARP_S + 3_600) * 1_000 }
  fixture.register({ ...CALL_BUY, option })
  const { said } = run(inPython(await startNode(nowS + nodeAheadS))(fixture.url, fixture))
  const status = async () => (await fixture.call('GET', '/maker/v1/status')).body
  await expect.poll(status, { message: said().join('\n') }).toMatchObject({ makersConnected: 1, socketsConnected: 1 })
  const { body } = await fixture.call('POST', '/quote-requests', { body: { ...openBody(), option } })
  const path = `/quote-requests/${body.requestId}`
  await expect.poll(async () => (await fixture.call('GET', `${path}/quotes`)).body.quoteCount).toBe(1)
  const commit = await fixture.call('POST', `${path}/commit`, { body: { wallet: TAKER } })
  expect(commit.body, said().join('\n')).toMatchObject(answer)
})

/** As strict as the compiler can be, with what the packages declare looked at too. */
const COMPILER = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  rewriteRelativeImportExtensions: true,
}

test('a client generated from /openapi.json compiles strictly and makes a whole trade', async () => {
  const fixture = await startServer()
  const tool = async (path: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules', path), ...args], {
      cwd: dir,
    }).catch((fault) => expect.fail(`${path}: ${fault.stdout}${fault.stderr}`))
    return stdout
  }
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  copyFileSync(join(import.meta.dirname, 'strangers', 'trade.ts'), join(dir, 'trade.ts'))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files: ['trade.ts'] }))
  await tool('openapi-typescript/bin/cli.js', `${fixture.url}/openapi.json`, '--output', 'api.ts')
  await tool('typescript/bin/tsc', '--project', dir)

  const input = { url: fixture.url, apiKey: API_KEY, privateKey: PRIVATE_KEY, taker: TAKER, request: openBody() }
  const { stdout } = await promisify(execFile)(process.execPath, [join(dir, 'trade.js'), JSON.stringify(input)])
  const maker = privateKeyToAddress(PRIVATE_KEY)
  expect(JSON.parse(stdout)).toMatchObject({
    signer: maker,
    order: { maker, taker: TAKER, optionAmount: '100', premiumAmount: '25000000' },
    outcome: 'confirmed',
    again: 'already_committed',
  })
})
