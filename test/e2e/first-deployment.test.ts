import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../src/domain/units.ts'
import { startAnvil } from '../../src/sandbox/chain/anvil.ts'
import { createDevClient } from '../../src/sandbox/chain/client.ts'
import { json, startSource } from '../adapters/sources/source-server.ts'
import { serveFrom } from '../cli/serving.ts'
import { temporaryDir } from '../cli/support.ts'
import { gammaFixture, startGamma } from '../support/gamma-server.ts'
import { openTerminal, typedSteps } from './typed-page.ts'

const PAGE = readFileSync(new URL('../../docs/operator.md', import.meta.url), 'utf8')
const [, FIRST_DEPLOYMENT = ''] = PAGE.split(/^## A first deployment$/m)

const keyOf = (byte: string): Hex => `0x${byte.repeat(32)}`
const addressOf = (byte: string) => privateKeyToAccount(keyOf(byte)).address

/** Whom the page takes to be in the environment, and whose key is in a file. */
const ROLES = { OWNER: 'd2', REGISTRAR: 'd3', GUARDIAN: 'd4', SIGNER: 'd5', FAUCET: 'd6', CONDITIONAL_TOKENS: 'd7' }
const FILES = { deployer: 'd1', owner: 'd2', registrar: 'd3' }

test('the first deployment of the guide for operators ends with a relay in production that lists the series of its first market', async () => {
  const cwd = temporaryDir()
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  onTestFinished(() => anvil.stop())
  const source = await startSource(json([]))
  const gamma = await startGamma()
  onTestFinished(() => gamma.stop())
  const dev = createDevClient(anvil.rpcUrl)
  for (const [name, byte] of Object.entries(FILES)) {
    writeFileSync(join(cwd, `${name}.json`), keyOf(byte), { mode: 0o600 })
    await dev.setBalance({ address: addressOf(byte), value: 10n ** 18n })
  }
  const environment: Record<string, string> = { RPC_URL: anvil.rpcUrl, CHAIN_ID: '80002' }
  for (const [name, byte] of Object.entries(ROLES)) environment[name] = addressOf(byte)
  /** What stands for the dots of the page. */
  const given: Record<string, string> = {
    RESOLUTION_SIGNER_KEY: keyOf('d5'),
    OPERATOR_TOKEN: 'the-token-of-the-operator',
    MARKETS_URL: gamma.url,
    PRICE_HISTORY_URL: source.url,
    HOST: '127.0.0.1',
    MAKER_API_KEYS: '[{"apiKey":"mk_live_0123456789abcdef0123456789abcdef","makerId":"desk"}]',
  }
  const { type } = openTerminal(cwd, environment)
  const [step] = typedSteps(FIRST_DEPLOYMENT)
  const commands: string[] = []
  for (const line of step?.lines ?? []) {
    if (line === 'rfqctl serve') break
    const typed = line.replace('--query "…"', '--query krone')
    const { code, stdout, stderr } = await type(typed)
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
    if (!line.startsWith('export ')) commands.push(line.split(' ').slice(1, 3).join(' '))
    for (const [, name = '', value = ''] of stdout.matchAll(/^([A-Z_]+)=(.*)$/gm)) given[name] ??= value
    for (const name of Object.keys(environment)) environment[name] = given[name] ?? environment[name] ?? ''
  }
  expect(commands).toEqual(['chain deploy', 'markets import', 'markets import'])
  expect(step?.lines).toContain('rfqctl serve')
  expect(environment.NODE_ENV).toBe('production')
  // A database is the one thing that the page has and a test has not: it serves from files.
  const { DATABASE_URL: _, ...settings } = environment
  const { url } = await serveFrom(cwd, { hasChain: true, environment: settings })
  const { series } = (await (await fetch(`${url}/v1/series`)).json()) as {
    series: { conditionId: string; strikeBps: number }[]
  }
  const [krone] = gammaFixture('markets')
  expect(new Set(series.map(({ conditionId }) => conditionId))).toEqual(new Set([krone?.conditionId]))
  expect(new Set(series.map(({ strikeBps }) => strikeBps))).toEqual(new Set([2_500, 5_000, 7_500]))
})
