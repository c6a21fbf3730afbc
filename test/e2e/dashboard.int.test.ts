import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { accountOf } from '../../src/client/from-text.ts'
import { createMakerClient, type MakerClient, usd6 } from '../../src/client/index.ts'
import { contracts } from '../../src/protocol/domain/units.ts'
import type { Sandbox } from '../../src/relay/app/sandbox-file.ts'
import { buildWhenStale, ROOT } from '../kit/build.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { spawnRfqctl } from '../kit/relay-process.ts'
import { hasTmux, openTerminal } from '../support/tmux.ts'

const COMMAND = `${process.execPath} ${join(ROOT, 'bin', 'rfqctl.js')}`

/** A market of its own: chain, contracts, series, relay and three simulated makers. */
async function startSandbox() {
  const dataDir = newFolder()
  const sandboxFile = join(dataDir, 'sandbox.json')
  const start = async (port: string) => {
    const up = spawnRfqctl(['up', '--port', port, '--data-dir', dataDir], {
      MAKER_CONFIRMATION_MS: '10000',
      UNPROVEN_CONFIRMATION_MS: '10000',
    })
    await up.says('is ready')
    return up
  }
  let running = await start('0')
  const sandbox = JSON.parse(readFileSync(sandboxFile, 'utf8')) as Sandbox
  onTestFinished(async () => {
    running.signal('SIGTERM')
    await running.exited
    removeFolder(dataDir)
  })
  const run = (...args: string[]) => spawnRfqctl([...args, '--data-dir', dataDir]).left()
  return {
    dataDir,
    sandbox,
    run,
    kill: async () => {
      running.signal('SIGKILL')
      await running.exited
    },
    restart: async () => {
      running = await start(new URL(sandbox.url).port)
    },
  }
}

/** A maker that is connected and quotes what a test says, and that never signs. */
function startSilentMaker({ sandbox }: Awaited<ReturnType<typeof startSandbox>>): MakerClient {
  const wallet = sandbox.makers[3]
  if (wallet === undefined) throw new Error('the sandbox has no fourth maker')
  const { url, wsUrl, chainId, settlementAddress, coreAddress } = sandbox
  const client = createMakerClient({
    url,
    wsUrl,
    apiKey: wallet.apiKey ?? null,
    account: accountOf(wallet.privateKey),
    chain: { chainId, settlementAddress, coreAddress },
  })
  const end = new AbortController()
  onTestFinished(() => end.abort())
  const listen = async () => {
    for await (const _ of client.watchOrders({ signal: end.signal }));
  }
  listen().catch(() => {})
  return client
}

/** The request that is open, as makers hear of it. */
async function openRequestOf(maker: MakerClient) {
  for await (const event of maker.watchQuoteRequests()) {
    if (event.kind === 'quote_request') return event.request
  }
  throw new Error('the stream ended')
}

describe.skipIf(!hasTmux)('the dashboard in a real terminal (needs tmux)', () => {
  beforeAll(buildWhenStale)

  it('tells who is waited for and why a quote was refused, and survives sizes, keys and the death of its relay', async () => {
    const service = await startSandbox()
    expect((await service.run('maker', 'approve', '--account', 'maker-4')).code).toBe(0)
    const maker = startSilentMaker(service)
    const terminal = openTerminal({ columns: 80, rows: 24, cwd: service.dataDir })
    await terminal.shows('$')
    terminal.enter('echo what was there before')
    await terminal.shows(/^what was there before$/m)
    terminal.enter(`${COMMAND} dashboard --data-dir ${service.dataDir}; echo ended with $?`)
    await terminal.shows('● live', '4 makers', 'No request is open')
    expect(terminal.format('alternate_on')).toBe('1')

    expect((await service.run('taker', 'request', '@1', '--budget', '100')).code).toBe(0)
    const request = await openRequestOf(maker)
    const shortId = request.requestId.slice(0, 8)
    await maker.submitQuote({ request, price: usd6(900_000n), size: contracts(1_000n) }).catch(() => {})
    await maker.submitQuote({ request, price: usd6(1n), size: contracts(5_000n) })
    await terminal.shows(`▸ ${shortId}  buy`, '● 4 quotes', '★ maker-4', 'maker-4 refused', 'price_above_max_payoff')

    const commit = service.run('taker', 'commit', '--limit', '0.5', '--min', '1')
    await terminal.shows('◐ waits for maker-4', /waits for maker-4 to sign: [\d.]+s left [█░]{8}/, '1 waiting')
    terminal.press('3')
    await terminal.shows('◐ asked', /[\d.]+s left/)
    await terminal.shows('✗ missed', '✓ confirmed', '0 waiting', 'time to sign, of the newest 1 confirmation')
    expect((await commit).code).toBe(0)
    terminal.press('1')
    await terminal.shows('✓ committed', 'ladder 1 maker-4 ✗ missed')

    terminal.press('Enter')
    await terminal.shows('what happened, newest first', 'maker-4 misses its deadline')
    terminal.press('Escape')
    await terminal.shows('enter open')
    terminal.press('2')
    await terminal.shows('SCORE', /maker-4 +● live +67/)
    terminal.press('4')
    // The series that expire soonest stand on top: near a round time all that are seen are in their window.
    await terminal.shows('PHASE', /● trading|◐ window/)
    terminal.press('5', '/')
    terminal.press('maker-4', 'Enter')
    await terminal.shows('only "maker-4"', 'maker-4 is asked to sign')
    terminal.press('6')
    await terminal.shows('✓ ready', 'block')
    terminal.press('?')
    await terminal.shows('the best quote: fewest misses')
    terminal.press('Escape')
    await terminal.shows('✓ ready')
    terminal.press('1', 'p')
    await terminal.shows('‖ paused at')
    terminal.press('p')

    terminal.resize(118, 28)
    expect(await terminal.shows('quotes/s')).not.toContain('too small')
    terminal.resize(50, 10)
    await terminal.shows('too small', 'needs 60x12', 'has 50x10')
    terminal.resize(80, 24)
    const back = await terminal.shows('● live', shortId)
    expect(back.split('\n').filter((line) => line.includes('1 Requests'))).toHaveLength(1)

    await service.kill()
    await terminal.shows('○ lost', 'this view is old', shortId)
    await service.restart()
    await terminal.shows('● live', /3 makers|4 makers/)

    terminal.press('q')
    const after = await terminal.shows('ended with 0')
    expect(after).toContain('what was there before')
    expect(after).not.toContain('Requests')
    expect([terminal.format('alternate_on'), terminal.format('cursor_flag')]).toEqual(['0', '1'])
  })

  it('seeks a relay that is not there, and leaves the terminal as it was however it ends', async () => {
    const terminal = openTerminal({
      columns: 80,
      rows: 24,
      cwd: tmpdir(),
      environment: { OPERATOR_TOKEN: 'a-token-of-a-test' },
    })
    const start = () => terminal.enter(`clear; ${COMMAND} dashboard --url http://127.0.0.1:1; echo ended with $?`)
    const isRestored = () => [terminal.format('alternate_on'), terminal.format('cursor_flag')]

    await terminal.shows('$')
    start()
    await terminal.shows('◐ Connecting: no answer after', ' up')
    terminal.press('C-c')
    await terminal.shows('ended with 0')
    expect(isRestored()).toEqual(['0', '1'])

    start()
    await terminal.shows('◐ Connecting: no answer after')
    const pid = Number(terminal.format('pane_pid'))
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()), 'SIGTERM')
    await terminal.shows('ended with 0')
    expect(isRestored()).toEqual(['0', '1'])
    terminal.enter('echo it echoes')
    await terminal.shows(/^it echoes$/m)
  })

  it('says so where nothing can be drawn', async () => {
    const environment = { OPERATOR_TOKEN: 'a-token-of-a-test', CI: 'true' }
    const terminal = openTerminal({ columns: 80, rows: 24, cwd: tmpdir(), environment })
    await terminal.shows('$')
    terminal.enter(`${COMMAND} dashboard --url http://127.0.0.1:1; echo ended with $?`)
    await terminal.shows('the environment sets CI', 'ended with 2')
  })
})
