import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { FAULT_NAMES } from '../../src/cli/trigger/index.ts'
import type { FaultName } from '../../src/sandbox/scenarios/faults/faults.ts'
import { serveFrom } from './serving.ts'
import { NOWHERE, run, temporaryDir, temporaryDirOfFile } from './support.ts'

type Line = { type: string; [field: string]: unknown }

const dir = temporaryDirOfFile()
const stop = new AbortController()
let up: Promise<number>
let upSaid = ''

beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    up = runCli(['up', '--port', '0'], {
      stdout: { write: (text) => text.includes('is ready') && resolve() },
      stderr: { write: (text) => (upSaid += text) },
      // Makers that are silent on purpose are not waited for longer than a test needs.
      environment: { MAKER_CONFIRMATION_MS: '1000' },
      cwd: dir,
      stop: stop.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    up.then((code) => reject(new Error(`up ended with ${code}`)), reject)
  })
})

afterAll(async () => {
  stop.abort({ kind: 'signal', signal: 'SIGTERM' })
  expect(await up).toBe(0)
})

/** What each scenario must have told, beside that it happened. */
const SEEN: Record<FaultName, Partial<Line>> = {
  'maker-timeout': { type: 'committed', passedOver: 'maker-4' },
  'late-confirm': { type: 'refused', code: 'no_pending_acceptance' },
  'maker-declines': { type: 'declined', maker: 'maker-4' },
  'maker-offline': { type: 'committed', passedOver: 'maker-4' },
  'maker-dies': { type: 'committed', passedOver: 'maker-5' },
  'maker-defunds': { type: 'refused', code: 'MakerBalanceLow', maker: 'maker-4' },
  'all-timeout': {
    type: 'refused',
    code: 'no_maker_confirmed',
    status: 503,
    candidates: [{ makerId: 'maker-4', quoteId: expect.any(String), outcome: 'missed' }],
  },
  'bad-signature': { type: 'refused', code: 'invalid_signature' },
  insolvent: { type: 'refused', code: 'maker_insufficient_balance' },
  'insolvent-at-commit': { type: 'committed', passedOver: 'maker-4' },
  'no-price-data': { type: 'refused', code: 'manual_review', status: 409 },
  'rpc-down': { type: 'refused', code: 'chain_unavailable', status: 503 },
}

/** In which order what happens is told, where a maker does something while the taker waits. */
const ORDER: Partial<Record<FaultName, readonly string[]>> = {
  'maker-dies': ['protected', 'killed', 'killed', 'withdrawn', 'committed'],
  'maker-defunds': ['committed', 'moved', 'refused', 'told', 'kept', 'audited', 'restored'],
  'maker-declines': ['asked', 'declined', 'committed'],
  'bad-signature': ['asked', 'refused', 'committed'],
  'late-confirm': ['asked', 'committed', 'refused'],
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('trigger makes happen beside running makers', () => {
  test.each(FAULT_NAMES)('%s', async (name) => {
    const { code, stdout, stderr } = await run(['trigger', name, '--json'], { cwd: dir })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = linesOf(stdout)
    expect(lines).toContainEqual(expect.objectContaining(SEEN[name]))
    expect(lines.at(-1)).toMatchObject({ type: 'happened', scenario: name })
    const order = ORDER[name]
    if (order !== undefined) expect(lines.map(({ type }) => type).filter((type) => order.includes(type))).toEqual(order)
  })

  test('no change of what a maker has put as its protections, which are put back when it has died', async () => {
    const protect = ['maker', 'protect', '--account', 'maker-4', '--json']
    expect((await run([...protect, '--max-size', '900000'], { cwd: dir })).code).toBe(0)
    const { stdout } = await run(['trigger', 'maker-dies', '--json'], { cwd: dir })
    expect(linesOf(stdout)).toContainEqual(expect.objectContaining({ type: 'protected', maker: 'maker-4' }))
    const [shown] = linesOf((await run(protect, { cwd: dir })).stdout)
    expect(shown?.protections).toMatchObject({ maxQuoteSize: 900_000, cancelOnDisconnect: null })
  })

  test('the cause, at once, where the quote of its maker is refused', async () => {
    const protect = ['maker', 'protect', '--account', 'maker-4', '--json']
    expect((await run([...protect, '--max-size', '1'], { cwd: dir })).code).toBe(0)
    for (const name of ['maker-timeout', 'maker-dies', 'all-timeout']) {
      const { code, stderr } = await run(['trigger', name], { cwd: dir })
      expect({ name, code, stderr }).toMatchObject({ name, code: 3, stderr: expect.stringContaining('protections') })
      expect(stderr).not.toContain('timed out')
    }
    expect((await run([...protect, '--max-size', '900000'], { cwd: dir })).code).toBe(0)
  })

  test('nothing that ends the market when the operator blocks a maker of it, which trades again when the block is lifted', async () => {
    expect((await run(['maker', 'block', 'maker-1'], { cwd: dir })).code).toBe(0)
    await expect.poll(() => upSaid).toContain('maker-1  is blocked by the operator, until rfqctl maker unblock maker-1')
    expect((await run(['maker', 'unblock', 'maker-1'], { cwd: dir })).code).toBe(0)
    await expect.poll(() => upSaid).toContain('maker-1  connected as maker-1')
  })

  test('the next step is printed after all that happened', async () => {
    const { stdout, stderr } = await run(['trigger', 'no-price-data'], { cwd: dir })
    expect(stdout.trimEnd()).toMatch(/no-price-data ran as expected$/)
    expect(stderr).toBe('Next: rfqctl settle review list\n')
  })

  test.each(['maker-declines', 'maker-offline'])(
    '%s also without other makers: an honest maker is started',
    async (name) => {
      const cwd = temporaryDir()
      await serveFrom(cwd)
      const { code, stdout, stderr } = await run(['trigger', name, '--json'], { cwd })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(linesOf(stdout).filter(({ type }) => type === 'cast')).toHaveLength(2)
      expect(linesOf(stdout)).toContainEqual(expect.objectContaining({ type: 'committed', passedOver: 'maker-1' }))
    },
  )

  test('nothing lasting when it is interrupted while the chain is paused', async () => {
    const end = new AbortController()
    const onStdout = (text: string) => {
      if (text.includes('chain_stopped')) end.abort({ kind: 'signal', signal: 'SIGINT' })
    }
    const interrupted = await run(['trigger', 'rpc-down', '--json'], { cwd: dir, stop: end.signal, onStdout })
    expect(interrupted).toMatchObject({ code: 130, stderr: '' })
    expect((await run(['chain', 'status'], { cwd: dir })).code).toBe(0)
  })

  test('nothing that needs a chain where there is none', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const { code, stderr } = await run(['trigger', 'rpc-down', '--json'], { cwd })
    expect(code).toBe(8)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'simulated' })
  })

  test('nothing that it does not know, and says what it knows', async () => {
    const unknown = await run(['trigger', 'earthquake'], { cwd: dir })
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('maker-timeout')
    expect((await run(['trigger'], { cwd: dir })).code).toBe(2)
    const { stdout } = await run(['trigger', '--list', '--json'])
    expect(linesOf(stdout).map(({ name }) => name)).toEqual(FAULT_NAMES)
  })

  test('nothing where there is no sandbox', async () => {
    expect(await run(['trigger', 'maker-timeout', '--data-dir', '/nonexistent'])).toMatchObject({ code: 5, stdout: '' })
  })
})
