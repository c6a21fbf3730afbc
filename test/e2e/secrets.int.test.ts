import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { temporaryDir } from '../cli/support.ts'
import { buildWhenStale } from '../kit/build.ts'
import { startChild } from '../kit/child.ts'
import type { Answer } from '../kit/http.ts'
import { closeAll } from '../kit/keep.ts'
import { createMaker, type Maker } from '../kit/maker.ts'
import type { Ready } from '../kit/relay-process.ts'
import { createService, pendingCommit, type Service, walletOf } from '../kit/service.ts'
import { watchWire } from '../support/api/watch-wire.ts'

/** A text that is found nowhere but where it was put. */
const canary = (name: string): string => `canary-${name}-${'Zq7'.repeat(6)}`

const PRIVATE_KEYS = [`0x${'c0ffee11'.repeat(8)}`, `0x${'facade22'.repeat(8)}`]
const MAKERS = ['ada', 'bob'].map((makerId) => ({ makerId, apiKey: canary(`key-of-${makerId}`) }))
const [ADA, BOB] = MAKERS.map(({ apiKey }) => apiKey) as [string, string]
const OPERATOR = canary('operator-token')
const SETTLEMENT = canary('settlement-key')

/** Keeps plain secrets by design, for the other commands of its owner; it has the mode 0600. */
const SANDBOX = ['sandbox.json', 'identity.json']

const MAKER_STREAM = '/v1/mm/quote-requests/stream'

watchWire()
beforeAll(buildWhenStale)
afterAll(closeAll)

/** A relay with a file store and a secret in every setting that takes one, and a life full of secrets. */
async function startRelay(dir: string) {
  const child = startChild(['serve', '--no-chain', '--port', '0', '--json'], {
    cwd: dir,
    environment: {
      MAKER_API_KEYS: JSON.stringify(MAKERS),
      MAKER_CONFIRMATION_MS: '1000',
      OPERATOR_TOKEN: OPERATOR,
      SETTLEMENT_API_KEY: SETTLEMENT,
      RESOLUTION_SIGNER_KEY: PRIVATE_KEYS[0] as string,
      FAUCET_PRIVATE_KEY: PRIVATE_KEYS[1] as string,
      LOG_LEVEL: 'debug',
    },
  })
  const service = createService(await child.ready())
  const [ada, bob] = MAKERS.map((key) => createMaker(service.ready, key, walletOf(5))) as [Maker, Maker]
  const { identityUrl } = JSON.parse(readFileSync(join(dir, '.rfqctl', 'sandbox.json'), 'utf8')) as {
    identityUrl: string
  }
  return { child, service, ada, bob, identityUrl }
}

/** Tries a secret in every place that takes one of its kind; resolves with the refusals. */
async function tryEverywhere({ call }: Service, secret: string): Promise<Answer[]> {
  const bearer = { authorization: `Bearer ${secret}` }
  const key = { 'x-api-key': secret }
  const answers = await Promise.all([
    call('GET', MAKER_STREAM, { headers: key }),
    call('GET', `${MAKER_STREAM}?apiKey=${secret}`),
    call('GET', `/no/such/place?apiKey=${secret}`, { headers: { ...key, ...bearer } }),
    call('POST', `/v1/mm/quotes?apiKey=${secret}`, { text: `{"apiKey":"${secret}"`, headers: key }),
    call('POST', '/v1/mm/quotes/x/confirm', { body: { signature: secret }, headers: key }),
    call('GET', `/v1/markets?apiKey=${secret}&token=${secret}`, { headers: { 'if-none-match': '*' } }),
    call('GET', '/v1/user/profile', { headers: bearer }),
    call('POST', '/v1/user/api-keys', { body: {}, headers: bearer }),
    call('DELETE', '/v1/user/api-keys/x', { headers: bearer }),
    call('POST', '/settlement/prepare', { body: { seriesId: '1' }, headers: bearer }),
    call('GET', '/ops/v1/events', { headers: bearer }),
    call('GET', '/ops/v1/reviews', { headers: bearer }),
    call('POST', '/quote-requests/x/commit', { body: { wallet: 'x', takerSecret: secret } }),
    call('POST', '/quote-requests/x/cancel', { body: { takerSecret: secret }, headers: { 'x-taker-secret': secret } }),
    call('POST', '/quote-requests/x/cancel', { body: { takerSecret: [secret] } }),
    call('PUT', `/v1/mm/quotes?apiKey=${secret}`, { headers: { ...key, referer: `http://x/?apiKey=${secret}` } }),
  ])
  return answers.filter(({ status }) => status >= 400)
}

/** Says a secret on a socket, in its address and in its first message. */
async function trySockets({ wsUrl }: Ready, secret: string): Promise<void> {
  const inAddress = new WebSocket(`${wsUrl}/maker/v1/ws?apiKey=${secret}`)
  await once(inAddress, 'close')
  const inMessage = new WebSocket(`${wsUrl}/maker/v1/ws`)
  await once(inMessage, 'open')
  inMessage.send(JSON.stringify({ type: 'auth', apiKey: secret }))
  await once(inMessage, 'close')
}

/** A taker secret, a good signature, a wrong one and a late one, over two requests. */
async function trade(service: Service, ada: Maker, bob: Maker) {
  const first = await service.open({ locked: true })
  const confirmed = await pendingCommit(service, ada, first)
  const wrong = `0x${'5bad5eed'.repeat(16)}1b`
  const refused = await ada.confirm(confirmed.quoteId, wrong)
  const signature = await ada.sign(confirmed.accepted)
  await ada.confirm(confirmed.quoteId, signature)
  const { body } = await confirmed.committing

  const second = await service.open({ locked: true })
  const missed = await pendingCommit(service, bob, second)
  const lateSignature = await bob.sign(missed.accepted)
  const unanswered = await missed.committing
  const late = await bob.confirm(missed.quoteId, lateSignature)
  const cancelled = await service.call('POST', `/quote-requests/${second.requestId}/cancel`, {
    body: { takerSecret: second.takerSecret },
  })
  return {
    requestIds: [first.requestId, second.requestId],
    takerSecrets: [first.takerSecret, second.takerSecret],
    signature,
    hidden: [wrong, lateSignature],
    statuses: { refused, committed: body.success, unanswered, late, cancelled },
    refusals: [refused, unanswered, late],
  }
}

const textBelow = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !SANDBOX.includes(basename(entry.name)))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('secrets (fault B1, invariant V8)', () => {
  test('reach no log, no metric, no refusal, no audit log, no stream and no file in a life full of them', async () => {
    const dir = temporaryDir()
    const { child, service, ada, bob, identityUrl } = await startRelay(dir)
    const { call, stream } = service
    const asOperator = { authorization: `Bearer ${OPERATOR}` }
    const operatorStream = await stream('/ops/v1/events', asOperator)
    const makerStream = await stream(`${MAKER_STREAM}?apiKey=${ADA}`)

    const issued = await fetch(`${identityUrl}/token`, { method: 'POST', headers: asOperator, body: '{"name":"ada"}' })
    const { access_token: accessToken } = (await issued.json()) as { access_token: string }
    const asAda = { authorization: `Bearer ${accessToken}` }
    const made = await call('POST', '/v1/user/api-keys', { body: { name: 'mine' }, headers: asAda })
    const { key, apiKey } = made.body as unknown as { key: string; apiKey: { id: string } }
    expect((await call('GET', '/v1/mm/quotes', { headers: { 'x-api-key': key } })).status).toBe(200)
    await call('DELETE', `/v1/user/api-keys/${apiKey.id}`, { headers: asAda })

    const credentials = [ADA, BOB, OPERATOR, SETTLEMENT, accessToken, key]
    const strangers = [canary('stranger'), `mk_live_${canary('stranger')}`, `${accessToken.slice(0, -4)}AAAA`]
    const refusals = (
      await Promise.all([key, ...strangers, SETTLEMENT].map((one) => tryEverywhere(service, one)))
    ).flat()
    await Promise.all([key, ...strangers].map((one) => trySockets(service.ready, one)))
    const traded = await trade(service, ada, bob)
    expect(traded.statuses).toMatchObject({
      refused: { body: { code: 'invalid_signature' } },
      committed: true,
      unanswered: { body: { code: 'no_maker_confirmed' } },
      late: { body: { code: 'no_pending_acceptance' } },
      cancelled: { status: 200 },
    })

    const auditLogs = await Promise.all(
      traded.requestIds.map((id) => call('GET', `/ops/v1/audit/${id}`, { headers: asOperator })),
    )
    const metrics = await call('GET', '/metrics')
    const book = await call('GET', '/v1/mm/executions', { headers: { 'x-api-key': ADA } })
    child.signal('SIGTERM')
    await Promise.all([operatorStream.ended, makerStream.ended])
    expect(await child.ended).toBe(0)

    const everywhere: Record<string, string> = {
      log: child.stderr(),
      stdout: child.stdout(),
      metrics: metrics.text,
      refusals: [...refusals, ...traded.refusals].map(({ text }) => text).join('\n'),
      auditLogs: auditLogs.map(({ text }) => text).join('\n'),
      streams: [operatorStream.text(), makerStream.text()].join('\n'),
      history: book.text,
    }
    const files = textBelow(join(dir, '.rfqctl'))
    // What was not looked into would hold nothing.
    expect(everywhere.log).toContain('maker_asked')
    expect(everywhere.metrics).toContain('rfqctl_http_request_seconds')
    expect(everywhere.auditLogs).toContain('signature_refused')
    expect(everywhere.streams).toContain('event: missed')
    expect(files).toContain(traded.requestIds[0])
    expect(refusals.length).toBeGreaterThan(50)

    const secrets = [...credentials, ...strangers, ...traded.takerSecrets, ...traded.hidden, ...PRIVATE_KEYS].map(bare)
    expect(hitsOf(secrets, { ...everywhere, files })).toEqual([])
    // The signature of an execution is kept, since its taker may ask again, and told to its taker alone (decision C3).
    expect(hitsOf([bare(traded.signature)], everywhere)).toEqual([])
  })

  test.each([
    ['a database', { DATABASE_URL: `postgres://user:${canary('password')}@127.0.0.1:1/x` }],
    ['a bus', { REDIS_URL: `redis://user:${canary('password')}@127.0.0.1:1` }],
    ['a chain', { RPC_URL: `http://127.0.0.1:1/${canary('rpc-key')}` }],
    ['keys that are no JSON', { MAKER_API_KEYS: `[{"apiKey":"${canary('key')}"` }],
    [
      'two makers with one key',
      { MAKER_API_KEYS: JSON.stringify(['a', 'b'].map((makerId) => ({ makerId, apiKey: canary('key') }))) },
    ],
    ['a broken private key', { RESOLUTION_SIGNER_KEY: `0x${canary('private-key')}` }],
    ['a short token', { OPERATOR_TOKEN: 'canary-short' }],
  ])('do not leak from a start that fails for %s', async (_, environment) => {
    const addresses = {
      SETTLEMENT_ADDRESS: `0x${'11'.repeat(20)}`,
      CORE_ADDRESS: `0x${'22'.repeat(20)}`,
      STABLECOIN_ADDRESS: `0x${'33'.repeat(20)}`,
    }
    const child = startChild(['serve', '--port', '0', ...('RPC_URL' in environment ? [] : ['--no-chain'])], {
      cwd: temporaryDir(),
      environment: { ...addresses, ...environment, LOG_LEVEL: 'debug', RFQCTL_DEBUG: '1' },
    })
    expect(await child.ended).toBeGreaterThan(0)
    expect(child.stderr()).toContain('"event":"failed"')
    expect(child.stdout() + child.stderr()).not.toMatch(/canary/)
  })
})

/** The sinks in which a secret was found. */
const hitsOf = (secrets: readonly string[], sinks: Readonly<Record<string, string>>): string[] =>
  Object.entries(sinks).flatMap(([name, sink]) =>
    secrets.filter((secret) => sink.includes(secret)).map((secret) => `${name} has ${secret}`),
  )

/** Hex is looked for without its prefix. */
const bare = (secret: string): string => secret.replace(/^0x/, '')
