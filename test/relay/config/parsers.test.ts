import { expect, test } from 'vitest'
import { DEFINITIONS } from '../../../src/relay/config/definitions.ts'
import type { Environment } from '../../../src/relay/config/sources.ts'
import { load, loadGood } from './load.ts'

const faulty: [name: string, text: string][] = [
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', '1e3'],
  ['PORT', '0x50'],
  ['PORT', ' 80'],
  ['QUOTE_REQUEST_TTL_MS', '0'],
  ['QUOTE_REQUEST_TTL_MS', '2147483648'],
  ['FAUCET_AMOUNT', '0'],
  ['FAUCET_AMOUNT', '-1'],
  ['FAUCET_AMOUNT', '0.0000001'],
  ['FAUCET_AMOUNT', '1e3'],
  ['FAUCET_AMOUNT', '1000000001'],
  ['CORS_ORIGINS', 'https://a.example/path'],
  ['CORS_ORIGINS', 'a.example'],
  ['TRUST_PROXY', 'sometimes'],
  ['DATABASE_URL', 'mysql://localhost/rfqctl'],
  ['REDIS_URL', 'localhost:6379'],
  ['TWAP_MAX_GAP_S', '1801'],
  ['RESOLUTION_SIGNER_SOCKET', ' , '],
  ['RESOLUTION_SIGNER_SOCKET', 'a.sock,b.sock,a.sock'],
  ['RESOLUTION_SIGNER_SOCKET', Array.from({ length: 17 }, (_, n) => `${n}.sock`).join(',')],
  ['SOLVENCY_CACHE_MS', '30001'],
  ['MAX_STREAMS_PER_ADDRESS', '0'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a header'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,c'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
]

test.each(faulty)('%s does not take %s', (name, text) => {
  expect(load({ environment: { [name]: text } }).faults).toEqual([
    expect.stringContaining(`${name} (environment) is n`),
  ])
})

test('amounts are read to the micro-dollar', () => {
  expect(loadGood({ environment: { FAUCET_AMOUNT: '0.1' } }).relay.faucetAmount).toBe(100_000n)
  expect(loadGood({ environment: { FAUCET_AMOUNT: '2.01' } }).relay.faucetAmount).toBe(2_010_000n)
})

test.each([
  ['true', true],
  ['false', false],
  ['2', 2],
  ['10.0.0.0/8, ::1', '10.0.0.0/8,::1'],
])('TRUST_PROXY takes %s', (text, value) => {
  expect(loadGood({ environment: { TRUST_PROXY: text } }).server.trustProxy).toBe(value)
})

test('nothing is traced without a collector; with one, as OpenTelemetry names it', () => {
  expect(loadGood({ environment: { OTEL_EXPORTER_OTLP_HEADERS: 'a=b' } }).tracing).toBeNull()
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team=100%',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(loadGood({ environment }).tracing).toEqual({
    endpoint: 'https://collector.example',
    headers: { authorization: 'Bearer abc', 'x-team': '100%' },
    serviceName: 'rfqctl',
    ratio: 0.25,
  })
})

test('CORS_ORIGINS is * or a list', () => {
  expect(loadGood({}).server.corsOrigins).toBe('*')
  const listed = 'https://a.example, http://localhost:3000'
  expect(loadGood({ environment: { CORS_ORIGINS: listed } }).server.corsOrigins).toEqual([
    'https://a.example',
    'http://localhost:3000',
  ])
})

const secrets: Environment = {
  RESOLUTION_SIGNER_KEY: '0xCANARY',
  FAUCET_PRIVATE_KEY: 'CANARY',
  OPERATOR_TOKEN: 'CANARY',
  SETTLEMENT_API_KEY: 'CANARY',
  DATABASE_URL: 'https://user:CANARY@db',
  REDIS_URL: 'https://user:CANARY@redis',
  RPC_URL: 'ftp://rpc/CANARY',
  MAKER_API_KEYS: '[{"apiKey":"CANARY"},{"CANARY":1,"apiKey":"CANARY","makerId":"b"},"CANARY"]',
}

test('a fault never quotes a secret', () => {
  const { faults } = load({ environment: secrets })
  expect(faults.length).toBeGreaterThanOrEqual(Object.keys(secrets).length)
  expect(faults.join('\n')).not.toContain('CANARY')
})

const loadKey = (text: string) => load({ environment: { RESOLUTION_SIGNER_KEY: text }, modes: { noChain: true } })

test.each([`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, `0x${'1'.repeat(63)}`, '1'.repeat(64)])(
  'a number that is no private key is refused before anything is signed with it: %s',
  (text) => {
    expect(loadKey(text).faults).toEqual([expect.stringContaining('is not a private key')])
  },
)

test('a private key is taken as it is', () => {
  const text = `0x${'1'.repeat(64)}`
  expect(loadKey(text).settings?.keys.resolutionSigner).toBe(text)
})

test.each(
  Object.entries(DEFINITIONS).flatMap(([name, { parse, fallback }]) =>
    typeof fallback === 'number' || typeof fallback === 'string' || typeof fallback === 'boolean'
      ? [{ name, parse, fallback }]
      : [],
  ),
)('$name may be set to what it is by default', ({ parse, fallback }) => {
  expect(parse(String(fallback))).toEqual({ value: fallback })
})

test('several sockets of signers are separated by commas', () => {
  const { values } = load({ environment: { RESOLUTION_SIGNER_SOCKET: '/run/1.sock, 2.sock' } })
  expect(values.RESOLUTION_SIGNER_SOCKET).toEqual(['/run/1.sock', '2.sock'])
})
