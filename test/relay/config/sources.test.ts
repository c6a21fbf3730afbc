import { expect, test } from 'vitest'
import { load, loadGood } from './load.ts'

test('without any source every setting has its default', () => {
  const { settings, faults, warnings, origins } = load()
  expect(faults).toEqual([])
  expect(warnings).toEqual([])
  expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
  expect(settings).toMatchObject({
    isProduction: false,
    isOpen: false,
    store: { kind: 'file' },
    bus: { kind: 'local' },
    chain: { kind: 'embedded', port: null, chainId: 80_002 },
    relay: {
      quoteRequestTtlMs: 300_000,
      openLimits: { total: 10_000, perAddress: 1_000 },
      makerConfirmationMs: 10_000,
      orderValidityMs: 120_000,
      maxCandidates: 5,
      maxUnfilledOrders: 1_000,
      makerOfflineGraceMs: 1_000,
      faucetAmount: 1_000_000_000n,
      faucetCooldownMs: 86_400_000,
      settleLagMs: 0,
      twapMinPoints: 1,
      twapMaxGapS: null,
      recordIntervalMs: 60_000,
      seriesRefreshMs: 5_000,
    },
    server: { host: '127.0.0.1', port: 8787, maxStreamsPerKey: 16, maxStreamsPerAddress: null, trustProxy: false },
    keys: { makers: [], operatorToken: null, settlementApiKey: null, resolutionSigner: null, faucet: null },
    identity: { kind: 'development' },
    logLevel: 'info',
  })
})

test('a flag beats the environment, the environment the file, the file the default', () => {
  const file = '{"PORT": 1, "HOST": "127.0.0.3", "MAX_CANDIDATES": 3}'
  const environment = { PORT: '2', HOST: '127.0.0.2' }
  const { settings, origins } = load({ flags: { PORT: '3' }, environment, file })
  expect(settings?.server).toMatchObject({ port: 3, host: '127.0.0.2' })
  expect(settings?.relay).toMatchObject({ maxCandidates: 3, makerConfirmationMs: 10_000 })
  expect(origins).toMatchObject({
    PORT: 'flag',
    HOST: 'environment',
    MAX_CANDIDATES: 'file',
    MAKER_CONFIRMATION_MS: 'default',
  })
})

test('an empty variable is one that is not set', () => {
  expect(loadGood({ environment: { PORT: '', MAKER_API_KEYS: '', RPC_URL: '' }, file: '{"PORT": 9}' })).toMatchObject({
    server: { port: 9 },
    chain: { kind: 'embedded' },
  })
})

test('the file may hold the maker keys as JSON, and null for a setting that is not set', () => {
  const makers = [{ apiKey: 'a-key-of-sufficient-length', makerId: 'alpha' }]
  expect(loadGood({ file: JSON.stringify({ MAKER_API_KEYS: makers, RPC_URL: null }) }).keys.makers).toEqual(makers)
})

test('the file may have comments, a line each, and addresses with two slashes', () => {
  const file =
    '// mine\n{\n  // a port\n\t// "HOST": "::1",\n  "PORT": 9,\r\n  "MARKETS_URL": "https://a.example/m"\n}\n'
  expect(load({ file })).toMatchObject({
    faults: [],
    values: { PORT: 9, HOST: '127.0.0.1', MARKETS_URL: 'https://a.example/m' },
  })
  expect(load({ file: '{"PORT": 9 // a port\n}' }).faults).toHaveLength(1)
})

test.each(['{', '[]', 'null', '"text"'])('a file that is no object of settings stops the start: %s', (file) => {
  expect(load({ file }).faults).toEqual(['rfqctl.config.json cannot be read as a JSON object of settings'])
})

test('a name in the file that is no setting stops the start, also a prototype key', () => {
  expect(load({ file: '{"PROT": 1, "__proto__": {}, "constructor": 1}' }).faults).toEqual([
    'rfqctl.config.json contains PROT, which is not a setting',
    'rfqctl.config.json contains __proto__, which is not a setting',
    'rfqctl.config.json contains constructor, which is not a setting',
  ])
})

test('every fault is reported at once, each with its name and where it was set', () => {
  const { faults, settings } = load({
    flags: { PORT: '70000', RPC_URL: 'ftp://a' },
    environment: { MAX_CANDIDATES: '0', LOG_LEVEL: 'loud' },
    file: '{"CORE_ADDRESS": "0x12"}',
  })
  expect(settings).toBeNull()
  expect(faults).toEqual([
    'PORT (flag --port) is not an integer from 0 to 65535',
    'RPC_URL (flag --rpc) is not a URL that starts with http:// or https://',
    'CORE_ADDRESS (rfqctl.config.json) is not an address: 0x and 40 hex digits, with the right checksum',
    'MAX_CANDIDATES (environment) is not an integer from 1 to 100',
    'LOG_LEVEL (environment) is not one of debug, info, warn, error, silent',
  ])
})

test('the data directory is absolute', () => {
  expect(loadGood({ environment: { DATA_DIR: '/var/lib/rfqctl' } }).dataDir).toBe('/var/lib/rfqctl')
  expect(loadGood({}).dataDir).toMatch(/^\/.*\/\.rfqctl$/)
})
