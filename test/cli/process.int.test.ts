import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isRunning } from '../../src/lib/process.ts'
import { buildWhenStale } from '../kit/build.ts'
import { type Child, startChild } from '../kit/child.ts'
import { tcpServer } from '../kit/server.ts'
import { temporaryDir } from './support.ts'

beforeAll(buildWhenStale)

const SIMULATED = ['serve', '--memory', '--no-chain', '--port', '0', '--json']

/** The ready line, which is the first one. */
async function readyOf(child: Child): Promise<Record<string, unknown>> {
  await child.says('"ready"')
  return JSON.parse(child.stdout().split('\n')[0] ?? '')
}

describe('serve', () => {
  test('without a terminal writes JSON log lines alone, from its start to its end', async () => {
    const environment = {
      NODE_ENV: 'production',
      MAKER_API_KEYS: JSON.stringify([{ makerId: 'ada', apiKey: 'k'.repeat(40) }]),
    }
    const child = startChild(['serve', '--memory', '--no-chain', '--port', '0'], { cwd: temporaryDir(), environment })
    await child.says('"started"')
    child.signal('SIGTERM')
    expect(await child.ended).toBe(0)
    const lines = child
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ event }) => event)).toEqual(['advice', 'started', 'stopping'])
    expect(lines[1]).toMatchObject({
      version: expect.any(String),
      host: '127.0.0.1',
      port: 0,
      store: 'memory',
      bus: 'local',
    })
    expect(child.stdout()).toBe('')
  })

  test('says exactly the ready line first, and ends with 0 on SIGTERM (decision Z1)', async () => {
    const cwd = temporaryDir()
    const child = startChild(SIMULATED, { cwd })
    const ready = await readyOf(child)
    expect(Object.keys(ready)).toEqual([
      'type',
      'url',
      'wsUrl',
      'rpcUrl',
      'chainId',
      'settlementAddress',
      'coreAddress',
      'stablecoinAddress',
      'resolutionSigner',
      'dataDir',
      'tradeUrl',
      'operateUrl',
    ])
    expect(ready).toMatchObject({ type: 'ready', rpcUrl: null, chainId: 80_002, dataDir: join(cwd, '.rfqctl') })
    expect(ready).toMatchObject({ tradeUrl: `${ready.url}/`, operateUrl: `${ready.url}/desk` })
    const health = await fetch(`${ready.url}/healthz`)
    expect(health.status).toBe(200)
    child.signal('SIGTERM')
    expect(await child.ended).toBe(0)
    expect(child.stdout().trim().split('\n')).toHaveLength(1)
  })

  test('keeps its sandbox to its owner, ends its chain with it, and continues with the same keys', async () => {
    const cwd = temporaryDir()
    const dataDir = join(cwd, '.rfqctl')
    const sandbox = () => JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
    const first = startChild(['serve', '--port', '0', '--json'], { cwd })
    await readyOf(first)
    expect((statSync(dataDir).mode & 0o777).toString(8)).toBe('700')
    expect((statSync(join(dataDir, 'sandbox.json')).mode & 0o777).toString(8)).toBe('600')
    const { makers, operatorToken } = sandbox()
    const { pid: anvil } = JSON.parse(readFileSync(join(dataDir, 'anvil.json'), 'utf8'))
    expect(isRunning(anvil)).toBe(true)
    first.signal('SIGINT')
    expect(await first.ended).toBe(130)
    expect(isRunning(anvil)).toBe(false)
    const second = startChild(['serve', '--port', '0', '--json'], { cwd })
    await readyOf(second)
    expect(sandbox()).toMatchObject({ makers, operatorToken, pid: second.pid })
    second.signal('SIGTERM')
    expect(await second.ended).toBe(0)
  })

  test('leaves nothing of its own with --memory', async () => {
    const cwd = temporaryDir()
    const child = startChild(SIMULATED, { cwd })
    await readyOf(child)
    const sandbox = join(cwd, '.rfqctl', 'sandbox.json')
    expect(existsSync(sandbox)).toBe(true)
    child.signal('SIGTERM')
    await child.ended
    expect(existsSync(sandbox)).toBe(false)
  })

  test('leaves the sandbox of another relay alone', async () => {
    const cwd = temporaryDir()
    const first = startChild(['serve', '--no-chain', '--port', '0', '--json'], { cwd })
    await readyOf(first)
    const second = startChild(SIMULATED, { cwd })
    await readyOf(second)
    second.signal('SIGTERM')
    await second.ended
    expect(JSON.parse(readFileSync(join(cwd, '.rfqctl', 'sandbox.json'), 'utf8')).pid).toBe(first.pid)
  })

  test('is refused with 10 where another one has the data directory', async () => {
    const cwd = temporaryDir()
    await readyOf(startChild(['serve', '--no-chain', '--port', '0', '--json'], { cwd }))
    const second = startChild(['serve', '--no-chain', '--port', '0'], { cwd })
    expect(await second.ended).toBe(10)
    expect(second.stderr()).toContain('in use by pid')
  })

  test('is refused with 10 where the port is taken, before it starts a chain', async () => {
    const cwd = temporaryDir()
    const { port } = await tcpServer(() => {})
    const child = startChild(['serve', '--port', String(port)], { cwd })
    expect(await child.ended).toBe(10)
    expect(JSON.parse(child.stderr())).toMatchObject({
      event: 'failed',
      code: 'in_use',
      reason: `port ${port} of 127.0.0.1 is in use`,
      hint: 'choose another port; --port 0 picks a free one',
    })
    expect(existsSync(join(cwd, '.rfqctl'))).toBe(false)
  })

  test('drains and fails after an uncaught fault, and leaks no secret (fault H5, invariant V8)', async () => {
    const fault = 'process.on("SIGUSR2",()=>{throw new Error("boom 0x"+"ab".repeat(32))})'
    const nodeFlags = ['--import', `data:text/javascript,${encodeURIComponent(fault)}`]
    const child = startChild(
      SIMULATED.filter((word) => word !== '--json'),
      { cwd: temporaryDir(), nodeFlags },
    )
    await child.says('"started"')
    child.signal('SIGUSR2')
    expect(await child.ended).toBe(1)
    expect(child.stderr()).not.toContain('abab')
    const lines = child.stderr().trim().split('\n')
    // Nobody sits before it, so that everything is a log line, the fault too.
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'failed', reason: expect.stringContaining('boom [hex]') }),
    )
  })

  test('ends at once with 130 when it is asked twice, and says so (fault H2)', async () => {
    const child = startChild(['serve', '--memory', '--no-chain', '--port', '0', '--json'], { cwd: temporaryDir() })
    await child.says('"ready"')
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(child.stdout())?.[1])
    await holdUp(port)
    child.signal('SIGINT')
    await child.says('"stopping"')
    const asking = setInterval(() => child.signal('SIGINT'), 50)
    onTestFinished(() => clearInterval(asking))
    expect(await child.ended).toBe(130)
    const last = child.stderr().trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toEqual({ type: 'ending', message: 'second interrupt: exiting now' })
  })
})

test('a signal that is passed on twice in the same moment was one request to end', async () => {
  const child = startChild(SIMULATED, { cwd: temporaryDir() })
  await readyOf(child)
  child.signal('SIGTERM')
  child.signal('SIGINT')
  // The kernel may deliver either one first.
  expect([0, 130]).toContain(await child.ended)
  expect(child.stderr()).not.toContain('asked twice')
})

/** A request that never ends its headers: a drain waits for it. */
async function holdUp(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  await fetch(`http://127.0.0.1:${port}/healthz`)
}

test('every setting at fault is named at once, and no secret (decision Z2)', async () => {
  const environment = { OPERATOR_TOKEN: 'CANARY', RPC_URL: 'http://127.0.0.1:8545', MAX_CANDIDATES: 'many' }
  const child = startChild(['serve', '--port', 'x', '--json'], { cwd: temporaryDir(), environment })
  expect(await child.ended).toBe(2)
  expect(child.stdout()).toBe('')
  expect(child.stderr()).not.toContain('CANARY')
  expect(JSON.parse(child.stderr())).toMatchObject({
    type: 'error',
    code: 'bad_settings',
    exitCode: 2,
    why: [
      expect.stringContaining('PORT (flag --port)'),
      expect.stringContaining('OPERATOR_TOKEN (environment)'),
      expect.stringContaining('MAX_CANDIDATES (environment)'),
      'RPC_URL needs SETTLEMENT_ADDRESS, CORE_ADDRESS, STABLECOIN_ADDRESS too',
    ],
  })
})

test('a reader that goes away has seen enough', async () => {
  const child = startChild(['--help'], { cwd: temporaryDir() })
  child.process.stdout?.destroy()
  expect(await child.ended).toBe(0)
  expect(child.stderr()).toBe('')
})

test('a data directory that cannot be made is reported in a sentence', async () => {
  const cwd = temporaryDir()
  writeFileSync(join(cwd, 'file'), '')
  const child = startChild(['serve', '--no-chain', '--port', '0', '--data-dir', 'file/below'], { cwd })
  expect(await child.ended).toBe(1)
  expect(JSON.parse(child.stderr())).toMatchObject({
    event: 'failed',
    reason: expect.stringMatching(/^cannot write .*file\/below: ENOTDIR$/),
    hint: 'choose another --data-dir',
  })
})
