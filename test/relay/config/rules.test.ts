import { describe, expect, test } from 'vitest'
import type { Modes } from '../../../src/relay/config/rules.ts'
import type { Environment } from '../../../src/relay/config/sources.ts'
import { load, loadGood } from './load.ts'

const ADDRESSES = {
  SETTLEMENT_ADDRESS: `0x${'1'.repeat(40)}`,
  CORE_ADDRESS: `0x${'2'.repeat(40)}`,
  STABLECOIN_ADDRESS: `0x${'3'.repeat(40)}`,
}
const EXTERNAL = { RPC_URL: 'https://rpc.example', ...ADDRESSES }
const SOURCES = { PRICE_HISTORY_URL: 'https://prices.example', MARKETS_URL: 'https://markets.example' }
const PRODUCTION = { NODE_ENV: 'production', ...EXTERNAL, ...SOURCES }
const MAKER_API_KEYS = '[{"apiKey":"a-key-of-sufficient-length","makerId":"alpha"}]'
const PROVIDER = { IDP_ISSUER: 'https://id.example', IDP_AUDIENCE: 'rfqctl', IDP_JWKS_URL: 'https://id.example/jwks' }
const KEY = `0x${'1'.repeat(64)}`

type Refusal = { title: string; environment?: Environment; modes?: Partial<Modes>; fault: string }

describe('settings that contradict each other stop the start', () => {
  const refusals: Refusal[] = [
    {
      title: 'an RPC without addresses (decision C12)',
      environment: { RPC_URL: 'http://127.0.0.1:8545', CORE_ADDRESS: ADDRESSES.CORE_ADDRESS },
      fault: 'RPC_URL needs SETTLEMENT_ADDRESS, STABLECOIN_ADDRESS too',
    },
    {
      title: 'addresses without an RPC',
      environment: ADDRESSES,
      fault: 'SETTLEMENT_ADDRESS, CORE_ADDRESS, STABLECOIN_ADDRESS needs RPC_URL too',
    },
    { title: 'a chain and no chain', environment: EXTERNAL, modes: { noChain: true }, fault: '--no-chain contradicts' },
    {
      title: 'a port for a foreign chain',
      environment: EXTERNAL,
      modes: { chainPort: 1 },
      fault: '--chain-port is for',
    },
    {
      title: 'an embedded chain of another id',
      environment: { CHAIN_ID: '1' },
      fault: 'CHAIN_ID of the embedded chain',
    },
    {
      title: 'a signer that the embedded contracts do not know',
      environment: { RESOLUTION_SIGNER_KEY: KEY },
      fault: 'RESOLUTION_SIGNER_KEY needs RPC_URL too',
    },
    {
      title: 'the socket of a signer, and no chain of others',
      environment: { RESOLUTION_SIGNER_SOCKET: 'signer.sock' },
      fault: 'RESOLUTION_SIGNER_SOCKET needs RPC_URL too',
    },
    {
      title: 'a key that the relay holds, and one that it does not',
      environment: { ...EXTERNAL, RESOLUTION_SIGNER_KEY: KEY, RESOLUTION_SIGNER_SOCKET: 'signer.sock' },
      fault: 'RESOLUTION_SIGNER_SOCKET contradicts RESOLUTION_SIGNER_KEY',
    },
    {
      title: 'an embedded chain in production (decision Z2)',
      environment: { NODE_ENV: 'production' },
      fault: 'NODE_ENV=production never starts a chain',
    },
    {
      title: 'a store and no store',
      environment: { DATABASE_URL: 'postgres://db/rfqctl' },
      modes: { memory: true },
      fault: '--memory contradicts DATABASE_URL',
    },
    {
      title: 'a Redis without a Postgres',
      environment: { REDIS_URL: 'redis://cache' },
      fault: 'REDIS_URL needs DATABASE_URL too: nodes share a Redis and a Postgres, or neither',
    },
    {
      title: 'open mode in production (decision M5)',
      environment: { ...PRODUCTION },
      modes: { memory: true },
      fault: 'lets anyone quote, which NODE_ENV=production does not allow',
    },
    {
      title: 'open mode on a public host (decision M5)',
      environment: { HOST: '0.0.0.0' },
      modes: { memory: true },
      fault: 'lets anyone quote, which HOST 0.0.0.0 does not allow',
    },
    {
      title: 'half an identity provider',
      environment: { IDP_ISSUER: 'https://id.example' },
      fault: 'IDP_ISSUER needs IDP_AUDIENCE, IDP_JWKS_URL too',
    },
    {
      title: 'keys of the issuer that come over an open wire, in production (fault B10)',
      environment: { ...PRODUCTION, ...PROVIDER, IDP_JWKS_URL: 'http://id.example/jwks' },
      fault: 'IDP_JWKS_URL must be https in production',
    },
    {
      title: 'one key in two roles (fault K4)',
      environment: { ...EXTERNAL, RESOLUTION_SIGNER_KEY: KEY, FAUCET_PRIVATE_KEY: KEY },
      fault: 'RESOLUTION_SIGNER_KEY and FAUCET_PRIVATE_KEY must be two keys',
    },
    {
      title: 'a short maker key in production (decision M6)',
      environment: { ...PRODUCTION, MAKER_API_KEYS: '[{"apiKey":"abc","makerId":"a"}]' },
      fault: 'maker key 1 is short enough to be guessed',
    },
  ]
  test.each(refusals)('$title', ({ environment = {}, modes = {}, fault }) => {
    const { faults, settings } = load({ environment, modes })
    expect(settings).toBeNull()
    expect(faults).toEqual([expect.stringContaining(fault)])
  })
})

test('open mode is no store and no keys, on this machine', () => {
  expect(loadGood({ modes: { memory: true } }).isOpen).toBe(true)
  expect(loadGood({ modes: { memory: true }, environment: { HOST: '::1' } }).isOpen).toBe(true)
  expect(loadGood({ modes: { memory: true }, environment: { MAKER_API_KEYS: '[]' } }).isOpen).toBe(true)
  expect(loadGood({}).isOpen).toBe(false)
  expect(loadGood({ modes: { memory: true }, environment: { MAKER_API_KEYS } }).isOpen).toBe(false)
  expect(loadGood({ modes: { memory: true }, environment: { MAKER_API_KEY: 'abc' } }).isOpen).toBe(false)
})

describe('the need for a key (fault B13)', () => {
  const everything = [false, true].flatMap((hasKeys) =>
    (['memory', 'file', 'postgres'] as const).flatMap((store) =>
      ['127.0.0.1', '0.0.0.0'].flatMap((host) =>
        [false, true].map((isProduction) => ({ hasKeys, store, host, isProduction })),
      ),
    ),
  )

  test.each(everything)('$hasKeys $store $host $isProduction', ({ hasKeys, store, host, isProduction }) => {
    const { settings } = load({
      modes: { memory: store === 'memory', noChain: true },
      environment: {
        HOST: host,
        ...(hasKeys ? { MAKER_API_KEYS } : {}),
        ...(store === 'postgres' ? { DATABASE_URL: 'postgres://db' } : {}),
        ...(isProduction ? { NODE_ENV: 'production' } : {}),
      },
    })
    const wouldBeOpen = !hasKeys && store === 'memory'
    const isHere = host === '127.0.0.1' && !isProduction
    expect(settings?.isOpen).toBe(wouldBeOpen ? (isHere ? true : undefined) : false)
  })
})

test('an identity provider comes from the settings, else from the fixture, which serves this machine alone', () => {
  const provider = {
    kind: 'provider',
    issuer: 'https://id.example',
    audience: 'rfqctl',
    jwksUrl: 'https://id.example/jwks',
  }
  expect(loadGood({ environment: PROVIDER }).identity).toEqual(provider)
  expect(loadGood({ environment: { ...PROVIDER, HOST: '0.0.0.0' } }).identity).toEqual(provider)
  expect(loadGood({}).identity).toEqual({ kind: 'development' })
  expect(loadGood({ environment: { HOST: '0.0.0.0' } }).identity).toBeNull()
  const production = { ...PRODUCTION }
  expect(loadGood({ environment: production }).identity).toBeNull()
  expect(loadGood({ environment: { ...production, ...PROVIDER } }).identity).toEqual(provider)
})

test('keys of an issuer may come over an open wire on this machine, and outside production', () => {
  const IDP_JWKS_URL = 'http://127.0.0.1:9000/jwks'
  const production = { ...PRODUCTION, ...PROVIDER }
  expect(loadGood({ environment: { ...production, IDP_JWKS_URL } }).identity).toMatchObject({ jwksUrl: IDP_JWKS_URL })
  const open = { ...PROVIDER, IDP_JWKS_URL: 'http://id.example/jwks' }
  expect(loadGood({ environment: open }).identity).toMatchObject({ jwksUrl: open.IDP_JWKS_URL })
})

test('with keys, the memory store may face the world', () => {
  const environment = { HOST: '0.0.0.0', MAKER_API_KEYS }
  expect(loadGood({ environment, modes: { memory: true } }).server.host).toBe('0.0.0.0')
})

test('an external chain is taken with its addresses', () => {
  const { chain, relay } = loadGood({ environment: { ...EXTERNAL, START_BLOCK: '7', CHAIN_ID: '137' } })
  expect(relay.seriesRefreshMs).toBe(300_000)
  expect(chain).toMatchObject({
    kind: 'external',
    rpcUrl: 'https://rpc.example',
    chainId: 137,
    startBlock: 7,
    coreAddress: ADDRESSES.CORE_ADDRESS,
  })
})

test('production runs on an external chain, or on none by an explicit flag', () => {
  const production = { NODE_ENV: 'production', MAKER_API_KEYS }
  expect(loadGood({ environment: { ...PRODUCTION, MAKER_API_KEYS } }).chain.kind).toBe('external')
  expect(loadGood({ environment: production, modes: { noChain: true } }).chain.kind).toBe('simulated')
})

test('production is warned of an open settlement endpoint', () => {
  const environment = { ...PRODUCTION }
  expect(load({ environment }).warnings).toEqual(['SETTLEMENT_API_KEY is not set: anyone may call /settlement/prepare'])
  expect(load({ environment: { ...environment, SETTLEMENT_API_KEY: 'x'.repeat(16) } }).warnings).toEqual([])
})

describe('invented markets and prices', () => {
  const refusals = (environment: Record<string, string>) =>
    load({ environment: { NODE_ENV: 'production', ...EXTERNAL, ...environment } }).faults

  test('are refused in production, both at once, unless they are asked for by name', () => {
    expect(refusals({})).toEqual([
      expect.stringMatching(/^PRICE_HISTORY_URL is required in production, or ALLOW_FIXTURES=true/),
      expect.stringMatching(/^MARKETS_URL is required in production, or ALLOW_FIXTURES=true/),
    ])
    expect(refusals({ PRICE_HISTORY_URL: 'https://prices.example' })).toHaveLength(1)
    expect(refusals({ ALLOW_FIXTURES: 'false' })).toHaveLength(2)
    expect(refusals({ ALLOW_FIXTURES: 'true' })).toEqual([])
    expect(refusals({ ALLOW_FIXTURES: 'yes' })).toContainEqual(expect.stringMatching(/ALLOW_FIXTURES .*neither true/))
  })

  test('are welcome outside production, and where nothing can be filled', () => {
    expect(load({ environment: EXTERNAL }).faults).toEqual([])
    expect(load({ environment: { NODE_ENV: 'production' }, modes: { noChain: true } }).faults).toEqual([])
  })
})

describe('an average of live prices', () => {
  const PRICE_HISTORY_URL = 'https://prices.example'

  test('needs twenty points, 150 seconds apart at most, by default (decision 0126); one from the fixtures needs one', () => {
    const limits = (environment: Record<string, string>) => {
      const { twapMinPoints, twapMaxGapS } = loadGood({ environment }).relay
      return [twapMinPoints, twapMaxGapS]
    }
    expect(limits({})).toEqual([1, null])
    expect(limits({ PRICE_HISTORY_URL })).toEqual([20, 150])
    expect(limits({ PRICE_HISTORY_URL, TWAP_MIN_POINTS: '25', TWAP_MAX_GAP_S: '120' })).toEqual([25, 120])
  })

  test('with fewer gives a warning', () => {
    const warnings = (environment: Record<string, string>) =>
      load({ environment: { MARKETS_URL: 'https://markets.example', ...environment } }).warnings
    expect(warnings({ PRICE_HISTORY_URL, TWAP_MIN_POINTS: '19' })).toEqual([
      'TWAP_MIN_POINTS 19 lets few prices decide a settlement',
    ])
    expect(warnings({ PRICE_HISTORY_URL, TWAP_MIN_POINTS: '20' })).toEqual([])
  })
})

test('a live price source is given two minutes after expiry by default (decision S4)', () => {
  const environment = { PRICE_HISTORY_URL: 'https://prices.example' }
  expect(loadGood({ environment }).relay.settleLagMs).toBe(120_000)
  expect(loadGood({ environment: { ...environment, SETTLE_LAG_MS: '5' } }).relay.settleLagMs).toBe(5)
})

test('prices and markets of different worlds are warned of', () => {
  const [PRICE_HISTORY_URL, MARKETS_URL] = ['https://prices.example', 'https://markets.example']
  expect(load({ environment: { PRICE_HISTORY_URL } }).warnings).toEqual([expect.stringContaining('MARKETS_URL')])
  expect(load({ environment: { MARKETS_URL } }).warnings).toEqual([expect.stringContaining('PRICE_HISTORY_URL')])
  expect(load({ environment: { PRICE_HISTORY_URL, MARKETS_URL } }).warnings).toEqual([])
})

describe('maker keys (decision M6, fault B14)', () => {
  const long = 'a-key-of-sufficient-length'

  test.each([
    ['bad JSON', '[{', 'is not a JSON array'],
    ['an object', '{}', 'is not a JSON array'],
    ['an entry without a key', `[{"makerId":"a"}]`, 'entry 1 has no apiKey'],
    ['an entry without a maker', `[{"apiKey":"${long}","makerId":" "}]`, 'entry 1 has no makerId'],
    ['a misspelt field', `[{"apiKey":"${long}","makerId":"a","makerID":"b"}]`, 'entry 1 has a field'],
    ['a number', '[7]', 'entry 1 is not an object'],
    [
      'one key for two makers',
      `[{"apiKey":"${long}","makerId":"a"},{"apiKey":"${long}","makerId":"b"}]`,
      'entry 2 repeats the key of entry 1',
    ],
  ])('%s stops the start, naming the entry and not the key', (_, text, fault) => {
    const { faults } = load({ environment: { MAKER_API_KEYS: text } })
    expect(faults).toEqual([expect.stringContaining(fault)])
    expect(faults.join()).not.toContain(long)
  })

  test('the legacy key is the maker "default", beside the listed ones', () => {
    const { makers } = loadGood({ environment: { MAKER_API_KEYS, MAKER_API_KEY: 'another-key-of-good-length' } }).keys
    expect(makers.map(({ makerId }) => makerId)).toEqual(['alpha', 'default'])
  })

  test('the legacy key may not repeat a listed one', () => {
    expect(load({ environment: { MAKER_API_KEYS, MAKER_API_KEY: long } }).faults).toEqual([
      'MAKER_API_KEYS entry 2 repeats the key of entry 1',
    ])
  })

  test('a short key only warns outside production', () => {
    const { settings, warnings } = load({ environment: { MAKER_API_KEY: 'abc' } })
    expect(settings).not.toBeNull()
    expect(warnings).toEqual(['maker key 1 is short enough to be guessed'])
  })
})

test.each([
  ['the loopback', {}, true],
  ['localhost', { HOST: 'localhost' }, true],
  ['any host', { HOST: '0.0.0.0' }, false],
  ['any host, where that is asked for', { HOST: '0.0.0.0', WEB: 'on' }, true],
  ['the loopback, where that is not wanted', { WEB: 'off' }, false],
  ['the loopback of production, behind a proxy', PRODUCTION, false],
  ['the loopback of production, where that is asked for', { ...PRODUCTION, WEB: 'on' }, true],
])('pages on %s (decision B3)', (_, environment, isServed) => {
  expect(loadGood({ environment }).web).toEqual({
    isServed,
    relayerUrl: null,
    partnerFee: null,
    explorerUrl: null,
  })
})

test('pages are on or off, and know a relayer by its URL', () => {
  expect(load({ environment: { WEB: 'true', WEB_RELAYER_URL: 'relayer.example' } }).faults).toEqual([
    expect.stringContaining('WEB (environment) is not one of on, off'),
    expect.stringContaining('WEB_RELAYER_URL (environment) is not a URL'),
  ])
  const environment = { WEB_RELAYER_URL: 'https://relayer.example/a' }
  expect(loadGood({ environment }).web.relayerUrl).toBe('https://relayer.example/a')
})

test.each([
  ['https://polygonscan.com', 'https://polygonscan.com'],
  ['https://polygonscan.com/', 'https://polygonscan.com'],
  ['https://explorer.example:8443/polygon', 'https://explorer.example:8443/polygon'],
])('pages link to the explorer %s', (text, explorerUrl) => {
  expect(loadGood({ environment: { WEB_EXPLORER_URL: text } }).web.explorerUrl).toBe(explorerUrl)
})

test.each([
  'polygonscan.com',
  'http://polygonscan.com',
  'javascript:alert(1)',
  'https://ada:secret@polygonscan.com',
  'https://polygonscan.com/?a=1',
  'https://polygonscan.com/#a',
  `https://${'a'.repeat(101)}.com`,
])('pages link to no explorer %s', (text) => {
  expect(load({ environment: { WEB_EXPLORER_URL: text } }).faults).toEqual([
    expect.stringContaining('WEB_EXPLORER_URL (environment) is not a URL that starts with https://'),
  ])
})

const PARTNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test('a partner of the pages is an address and basis points, within what the contract allows', () => {
  const partnerOf = (text: string) => loadGood({ environment: { WEB_PARTNER_FEE: text } }).web.partnerFee
  expect(partnerOf(`${PARTNER.toLowerCase()}:25`)).toEqual({ recipient: PARTNER, bps: 25 })
  expect(partnerOf(`${PARTNER}:500`)).toEqual({ recipient: PARTNER, bps: 500 })
})

test.each([
  '25',
  PARTNER,
  `${PARTNER}:0`,
  `${PARTNER}:501`,
  `${PARTNER}:2.5`,
  `${PARTNER}:25%`,
  `${PARTNER}:-1`,
  `0x${'0'.repeat(40)}:25`,
  `${PARTNER.replace('C', 'c')}:25`,
])('%s is no partner of the pages', (text) => {
  expect(load({ environment: { WEB_PARTNER_FEE: text } }).faults).toEqual([
    expect.stringContaining('WEB_PARTNER_FEE (environment) is not an address and basis points from 1 to 500'),
  ])
})

test.each(['SETTLEMENT_ADDRESS', 'CORE_ADDRESS'])('a partner is not the contract at %s', (name) => {
  const contract = PRODUCTION[name as keyof typeof PRODUCTION]
  const { faults } = load({ environment: { ...PRODUCTION, WEB_PARTNER_FEE: `${contract}:25` } })
  expect(faults).toEqual([expect.stringContaining('WEB_PARTNER_FEE pays a contract of the service')])
})

test('programs of the machine have four fifths of the faucet, and in production what any address has', () => {
  const shareOf = (environment: Record<string, string>) => loadGood({ environment }).server.faucetShare
  expect(shareOf({})).toEqual({ perHour: 10, ofOwnMachine: 400 })
  expect(shareOf({ FAUCET_MAX_PER_HOUR: '5' })).toEqual({ perHour: 10, ofOwnMachine: 10 })
  expect(shareOf({ ...PRODUCTION, FAUCET_MAX_PER_ADDRESS: '7' })).toEqual({ perHour: 7, ofOwnMachine: 7 })
  expect(shareOf({ FAUCET_MAX_PER_ADDRESS: '0' })).toBeNull()
})
