import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../src/relay/config/definitions.ts'
import { loadSettings } from '../../src/relay/config/settings.ts'
import type { Environment } from '../../src/relay/config/sources.ts'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const CUSTOM = 'custom --chain-id 8453 --rpc-url https://node.example --block-time 30s'
const PROFILES = ['local', 'amoy', 'polygon', CUSTOM]

/** What has to be added to a file for a chain: the contracts that were deployed. */
const DEPLOYED = {
  SETTLEMENT_ADDRESS: '0x1000000000000000000000000000000000000001',
  CORE_ADDRESS: '0x1000000000000000000000000000000000000002',
  STABLECOIN_ADDRESS: '0x1000000000000000000000000000000000000003',
}

async function init(line: string, cwd = temporaryDir()) {
  const ran = await run(['init', ...wordsOf(line)], { cwd })
  const path = join(cwd, 'rfqctl.config.json')
  return { ...ran, cwd, path, text: () => readFileSync(path, 'utf8') }
}

const load = (cwd: string, environment: Environment = {}) =>
  loadSettings({ flags: {}, modes: { memory: false, noChain: false, chainPort: null }, environment, cwd })

describe('init', () => {
  test.each(PROFILES)('%s: serve takes the file without a fault or a warning', async (line) => {
    const { code, cwd, stdout, path } = await init(line)
    expect([code, stdout]).toEqual([0, `wrote ${path}\n`])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { settings, faults, warnings } = load(cwd, line === 'local' ? {} : DEPLOYED)
    expect({ faults, warnings }).toEqual({ faults: [], warnings: [] })
    expect(settings?.chain.kind).toBe(line === 'local' ? 'embedded' : 'external')
  })

  test.each(['amoy', 'polygon', CUSTOM])(
    '%s: without contracts serve does not start on another chain',
    async (line) => {
      const { cwd } = await init(line)
      expect(load(cwd).faults).toEqual([expect.stringMatching(/^RPC_URL needs SETTLEMENT_ADDRESS, CORE_ADDRESS/)])
    },
  )

  test.each(['amoy', 'polygon', CUSTOM])(
    '%s: no series settles by a single price, or one that is old',
    async (line) => {
      const { cwd } = await init(line)
      const { prices, relay } = load(cwd, DEPLOYED).settings ?? {}
      expect(prices?.historyUrl).toMatch(/^https:/)
      expect(prices?.marketsUrl).toMatch(/^https:/)
      expect(relay).toMatchObject({ twapMinPoints: 20, twapMaxGapS: 150, settleLagMs: 120_000 })
    },
  )

  test('a profile knows its chain', async () => {
    const chainOf = async (line: string) => load((await init(line)).cwd, { ...DEPLOYED, STABLECOIN_ADDRESS: '' })
    expect((await chainOf('polygon')).settings).toMatchObject({
      chain: { chainId: 137, stablecoinAddress: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
      relay: { headStaleMs: 60_000, orderWatchMs: 5_000 },
    })
    expect((await chainOf('amoy')).values).toMatchObject({ CHAIN_ID: 80_002, STABLECOIN_ADDRESS: null })
    const harmony = await chainOf('custom --chain-id 1666600000 --rpc-url https://node.example')
    expect(harmony.values.CHAIN_ID).toBe(1_666_600_000)
    const custom = await chainOf(`${CUSTOM} --stablecoin ${DEPLOYED.STABLECOIN_ADDRESS}`)
    expect(custom.settings).toMatchObject({
      chain: { chainId: 8_453, rpcUrl: 'https://node.example', stablecoinAddress: DEPLOYED.STABLECOIN_ADDRESS },
      relay: { headStaleMs: 300_000, orderWatchMs: 60_000 },
    })
    expect((await chainOf('polygon --rpc-url https://mine.example')).values.RPC_URL).toBe('https://mine.example')
  })

  test.each(PROFILES)(
    '%s: what is written as a comment can be taken up, and every setting says what it is about',
    async (line) => {
      const lines = (await init(line)).text().split('\n')
      const taken = lines
        .map((one) => one.replace(/^ {2}\/\/ (?="[A-Z_]+": )/, '  '))
        .filter((one) => !/^\s*\/\//.test(one))
      const names = Object.keys(JSON.parse(taken.join('\n')))
      expect(names.length).toBeGreaterThan(3)
      for (const name of names) {
        expect(Object.keys(DEFINITIONS)).toContain(name)
        const above = lines[lines.findIndex((one) => one.includes(`"${name}": `)) - 1]
        expect(above).toContain(DEFINITIONS[name as keyof typeof DEFINITIONS].about)
      }
    },
  )

  test('it replaces a file only with --force', async () => {
    const cwd = temporaryDir()
    writeFileSync(join(cwd, 'rfqctl.config.json'), '{"PORT": 9}')
    const refused = await init('local', cwd)
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('there is a rfqctl.config.json already'),
    ])
    expect(refused.text()).toBe('{"PORT": 9}')
    const forced = await init('local --force', cwd)
    expect(forced.code).toBe(0)
    expect(load(cwd).values.PORT).toBe(8_787)
  })

  test.each([
    ['mainnet', 'Allowed choices are local, amoy, polygon, custom'],
    ['custom --chain-id 5', 'the chain is unknown'],
    ['custom --rpc-url https://node.example', 'the chain is unknown'],
    ['custom --chain-id 1e3 --rpc-url https://node.example', 'Expected the id of a chain'],
    ['polygon --chain-id 5', 'are for the profile custom'],
    ['local --rpc-url https://node.example', 'the profile local has a chain of its own'],
    ['polygon --stablecoin 0x12', '--stablecoin is not an address'],
    ['polygon --rpc-url node', 'Expected an http(s) URL'],
  ])('"init %s" is refused', async (line, words) => {
    const { code, stderr, path } = await init(line)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) })
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('a relay starts from the file of the local profile', async () => {
    const { cwd } = await init('local')
    const { url } = await serveFrom(cwd)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})
