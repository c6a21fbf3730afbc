import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeFailure } from '../../../src/cli/errors/describe-failure.ts'
import { RelayError, RelayUnreachableError } from '../../../src/client/errors.ts'
import { CliError } from '../../../src/lib/cli-error.ts'
import { EXIT, EXIT_OF_ERROR, exitOf } from '../../../src/lib/exit.ts'
import { ERRORS, RfqError } from '../../../src/protocol/domain/errors.ts'
import { safeText } from '../../../src/protocol/domain/safe-text.ts'
import { corrupt, StoreOpenError } from '../../../src/relay/adapters/store/open-error.ts'

test('every refusal of the service has an exit code that says something', () => {
  const codes = new Set<number>(Object.values(EXIT))
  expect(Object.values(EXIT_OF_ERROR).every((code) => codes.has(code) && Number(code) !== EXIT.done)).toBe(true)
})

test('a failure without an exit code of its own exits by its code, which is one that is thrown', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const text = sources.map((file) => readFileSync(`src/${file}`, 'utf8')).join('\n')
  const byCode = {
    unexpected: ['bad_quote_id', 'bad_request_id', 'demo_mismatch', 'scenario_failed'],
    refused: [
      'already_filled',
      'fee_above_limit',
      'file_exists',
      'manual_proposal_missing',
      'not_committed',
      'nothing_due',
      'nothing_to_claim',
      'nothing_to_do',
      'order_mismatch',
      'relayer_failed',
      'short_insufficient',
      'unknown_offer',
      'wrong_wallet',
    ],
    unauthorized: [
      'bad_key',
      'no_identity_provider',
      'no_operator_token',
      'no_password',
      'not_in_role',
      'not_signed_in',
      'open_key_file',
      'public_key',
      'unsafe_roles',
      'wrong_password',
    ],
    notFound: ['market_not_found', 'no_pages', 'no_sandbox', 'no_store', 'no_wallet', 'too_few_makers'],
    timedOut: ['timed_out'],
    unreachable: ['unreachable'],
    chain: [
      'anvil_missing',
      'chain_mismatch',
      'deployment_mismatch',
      'insufficient_gas',
      'not_local',
      'simulated',
      'terms_not_found',
      'unfit_chain',
    ],
    corrupt: ['corrupt_file', 'moved'],
    inUse: ['in_use'],
  }
  for (const [name, codes] of Object.entries(byCode)) {
    for (const code of codes) {
      expect([code, exitOf(code)]).toEqual([code, EXIT[name as keyof typeof EXIT]])
      expect(text).toContain(`code: '${code}'`)
    }
  }
  expect(exitOf('ambiguous')).toBe(EXIT.usage)
})

test.each([
  ['a refusal of the market', new RelayError({ code: 'no_valid_quotes', status: 409 }), 'no_valid_quotes', 3],
  ['a key that is not good', new RelayError({ code: 'invalid_api_key', status: 401 }), 'invalid_api_key', 4],
  [
    'something unknown to the relay',
    new RelayError({ code: 'request_not_found', status: 404 }),
    'request_not_found',
    5,
  ],
  ['a maker that did not sign', new RelayError({ code: 'no_maker_confirmed', status: 503 }), 'no_maker_confirmed', 6],
  ['a chain that is down', new RelayError({ code: 'chain_unavailable', status: 503 }), 'chain_unavailable', 8],
  ['a code of a newer relay', new RelayError({ code: 'brand_new', status: 409 }), 'brand_new', 3],
  ['a newer code with a status of its own', new RelayError({ code: 'brand_new', status: 404 }), 'brand_new', 5],
  ['no relay', new RelayUnreachableError('http://a', { reason: 'ECONNREFUSED' }), 'unreachable', 7],
  ['a refusal inside this process', new RfqError('series_not_found'), 'series_not_found', 5],
  ['a refusal of the command itself', new CliError('no', { code: 'own', exitCode: 9 }), 'own', 9],
  ['a port in use', Object.assign(new Error('listen'), { code: 'EADDRINUSE' }), 'in_use', 10],
  ['a directory that cannot be written', Object.assign(new Error('x'), { code: 'EACCES' }), 'unwritable', 1],
  [
    'a store that another process has',
    new StoreOpenError('in_use', { message: 'm', path: 'p', hint: 'h' }),
    'in_use',
    10,
  ],
  ['a store file that is broken', corrupt('p', 'is cut off'), 'corrupt', 9],
  ['a lost connection behind an error', new Error('x', { cause: { code: 'ECONNREFUSED' } }), 'unreachable', 7],
  ['a bug', new TypeError('undefined is not a function'), 'unexpected', 1],
  ['a text that was thrown', 'oops', 'unexpected', 1],
])('%s', (_, error, code, exitCode) => {
  expect(describeFailure(error)).toMatchObject({ code, exitCode })
})

test('an error that is its own cause is described once', () => {
  const error = new Error('loop')
  error.cause = error
  expect(describeFailure(error).message).toBe('loop')
})

test('a hint of the relay is passed on', () => {
  const error = new RelayError({ code: 'price_out_of_range', status: 400 })
  expect(describeFailure(error).hint).toBe('A price is in dollars per option: 0.42, not 42.')
})

test.each([502, 503, 504])('a proxy that answers %i in place of the relay is distinct from the relay', (status) => {
  const { code, hint, exitCode } = describeFailure(new RelayError({ code: `http_${status}`, status }))
  expect({ code, hint, exitCode }).toEqual({
    code: `http_${status}`,
    hint: expect.stringContaining('its proxy'),
    exitCode: EXIT.unreachable,
  })
})

test('each maker of a commit without a trade is named with what came of it, whatever a relay sends', () => {
  const candidates = [
    { makerId: 'maker-1', quoteId: 'q1', outcome: 'missed' },
    { makerId: 'maker-2', quoteId: 'q2', outcome: 'declined' },
    { makerId: 'maker-3\u001b[31m', quoteId: 'q3', outcome: 'insolvent' },
    { makerId: 'maker-4', quoteId: 'q4', outcome: 'of_a_newer_relay' },
    { makerId: 5 },
    null,
  ]
  const whyOf = (data: Record<string, unknown>) =>
    describeFailure(new RelayError({ code: 'no_maker_confirmed', status: 503, data })).why
  expect(whyOf({ candidates })).toEqual([
    'maker-1 did not sign in time',
    'maker-2 declined',
    `${safeText('maker-3\u001b[31m')} cannot pay`,
    'maker-4 of_a_newer_relay',
  ])
  expect(whyOf({ candidates: 'none' })).toEqual([])
  expect(whyOf({})).toEqual([])
})

test('the time to ask again is given', () => {
  const error = new RelayError({ code: 'faucet_cooldown', status: 429, retryAfterMs: 5_400_000 })
  expect(describeFailure(error)).toMatchObject({ exitCode: 3, why: ['it accepts the next call in 1h 30m'] })
})

test('a store that is away when a relay starts says what the system said, and where to look', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  for (const cause of [refused, new AggregateError([refused])]) {
    expect(describeFailure(new RfqError('store_unavailable', { cause }))).toMatchObject({
      code: 'store_unavailable',
      why: ['connect ECONNREFUSED 127.0.0.1:5432'],
      hint: 'check that Postgres and Redis run where DATABASE_URL and REDIS_URL point',
    })
  }
})

test('no hint to who sits at a terminal names a header, a field or a path of the API', () => {
  const hints = Object.keys(ERRORS).map((code) => describeFailure(new RelayError({ code, status: 409 })).hint ?? '')
  const ofTheApi =
    /Authorization|Bearer|X-API-Key|X-Taker-Secret|Retry-After|takerSecret|limitPrice|minContracts|\/readyz|\/v1\//
  expect(hints.filter((hint) => ofTheApi.test(hint))).toEqual([])
})
