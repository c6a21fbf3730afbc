import { describe, expect, it } from 'vitest'
import { usd6 } from '../../src/protocol/domain/units.ts'
import { startServer } from '../relay/server/support.ts'
import { settle } from '../support/fake-clock.ts'
import { refusal } from '../support/test-relay.ts'
import { run, temporaryDir } from './support.ts'

const TOKEN = 'operator-token-of-a-test'

/** A relay with a request that has a quote and a refusal, and how to look at it. */
async function startFixture() {
  const fixture = await startServer({ server: { operatorToken: TOKEN } })
  const { requestId } = await fixture.open()
  await fixture.quote('ada', requestId, { price: usd6(100_000n) })
  await refusal(fixture.quote('eve', requestId, { price: usd6(999_999n) }))
  const look = (flags: readonly string[], options: Parameters<typeof run>[1] = {}) =>
    run(['dashboard', '--url', fixture.url, ...flags], { environment: { OPERATOR_TOKEN: TOKEN }, ...options })
  return { ...fixture, requestId, look }
}

describe('rfqctl dashboard --once', () => {
  it('prints all views as text, without an escape', async () => {
    const { look, requestId } = await startFixture()
    const { code, stdout, stderr } = await look(['--once'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const title of ['REQUESTS', 'MAKERS', 'CONFIRMATIONS', 'SETTLEMENT', 'EVENTS', 'HEALTH']) {
      expect(stdout).toContain(` ${title}\n`)
    }
    expect(stdout).toContain(requestId.slice(0, 8))
    expect(stdout).toContain('eve refused')
    expect(stdout).toContain('price_above_max_payoff: The price is above the most that the option can pay.')
    expect(stdout).not.toContain('\u001b')
  })

  it('prints one view, in ASCII, or in sentences', async () => {
    const { look } = await startFixture()
    const { stdout } = await look(['--once', '--view', 'makers', '--ascii'])
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
    expect(stdout).toContain('MAKERS')
    expect(stdout).not.toContain('HEALTH')
    const spoken = await look(['--once', '--view', 'requests', '--screen-reader'])
    expect(spoken.stdout).toContain('standing quoted')
    const environment = { OPERATOR_TOKEN: TOKEN, INK_SCREEN_READER: 'true' }
    expect((await look(['--once', '--view', 'requests'], { environment })).stdout).toContain('standing quoted')
  })

  it('prints one document for programs', async () => {
    const { look, requestId } = await startFixture()
    const { code, stdout } = await look(['--once', '--json'])
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({
      type: 'snapshot',
      mode: 'onchain',
      openRequests: 1,
      requests: [{ requestId, quotes: [{ makerId: 'ada', price: 0.1 }] }],
      makers: [{ makerId: 'ada' }, { makerId: 'eve', refused: 1 }],
      trail: [{ kind: 'opened' }, { kind: 'quoted' }, { kind: 'quote_refused', code: 'price_above_max_payoff' }],
      health: { isReady: true },
    })
    expect(document.series).toHaveLength(2)
  })
})

describe('rfqctl dashboard --json', () => {
  it('streams events, one line each, until it is stopped', async () => {
    const { look, open } = await startFixture()
    const stop = new AbortController()
    const lines: { type: string; requestId?: string }[] = []
    const ended = look(['--json'], {
      stop: stop.signal,
      onStdout: (text) =>
        lines.push(
          ...text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ),
    })
    const until = async (type: string) => {
      while (!lines.some((line) => line.type === type)) await settle()
    }
    await until('snapshot_complete')
    lines.length = 0
    const { requestId } = await open()
    await until('opened')
    expect(lines).toMatchObject([{ type: 'opened', kind: 'opened', id: expect.any(Number), requestId }])
    stop.abort({ kind: 'signal', signal: 'SIGINT' })
    expect((await ended).code).toBe(130)
  })
})

describe('rfqctl dashboard refuses', () => {
  it('to draw where there is no terminal', async () => {
    const { look } = await startFixture()
    const { code, stdout, stderr } = await look([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('the dashboard needs a terminal')
    expect(stderr).toContain('--once')
  })

  it.each([['--once'], ['--once', '--json'], ['--json']])(
    'a token that the relay does not know: %s %s',
    async (...flags) => {
      const { look } = await startFixture()
      const { code, stderr } = await look(flags, { environment: { OPERATOR_TOKEN: 'another-token-of-a-test' } })
      expect(code).toBe(4)
      expect(stderr).not.toContain('another-token')
    },
  )

  it('when no relay answers, at once', async () => {
    const environment = { OPERATOR_TOKEN: TOKEN }
    for (const flags of [['--once'], ['--once', '--json']]) {
      const { code } = await run(['dashboard', '--url', 'http://127.0.0.1:1', ...flags], { environment })
      expect(code).toBe(7)
    }
  })

  it('without a token, and says where one is', async () => {
    const { code, stderr } = await run(['dashboard', '--once'], { cwd: temporaryDir() })
    expect(code).toBe(4)
    expect(stderr).toContain('--data-dir')
    expect(stderr).toContain('OPERATOR_TOKEN')
  })
})
