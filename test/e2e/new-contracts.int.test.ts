import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient } from '../../src/onchain/devnet/client.ts'
import { warpChain } from '../../src/onchain/devnet/warp.ts'
import type { Address, Hex, StrikeBps } from '../../src/protocol/domain/units.ts'
import { type FixtureMarket, readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { serveFrom } from '../cli/serving.ts'
import { temporaryDir } from '../cli/support.ts'
import { openChain } from '../kit/chain.ts'
import { fillOnChain } from '../support/chain-trade.ts'
import { putConditionalTokens } from '../support/conditional-tokens.ts'
import { openTerminal, shownAs, typedSteps } from './typed-page.ts'

const PAGE = readFileSync(new URL('../../docs/guides/operator/new-contracts.md', import.meta.url), 'utf8')

/** Address of Polymarket's conditional tokens on Polygon. */
const CONDITIONAL_TOKENS = '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045'

/** One that has made-up prices. */
const market = readFixtureMarkets()[0] as FixtureMarket

const keyOf = (byte: string): Hex => `0x${byte.repeat(32)}`
const addressOf = (byte: string): Address => privateKeyToAccount(keyOf(byte)).address
const FILES = {
  'former-deployer': 'c0',
  deployer: 'c1',
  guardian: 'c3',
  listing: 'c4',
  signer: 'c5',
  keeper: 'c7',
} as const
/** A contract, as the owner of a core should be. */
const OWNER = addressOf('c2')
const [DESK, CLIENT] = ['ca', 'cb'].map((byte) => ({ address: addressOf(byte), privateKey: keyOf(byte) })) as [
  { address: Address; privateKey: Hex },
  { address: Address; privateKey: Hex },
]

const settingsIn = (stdout: string): Record<string, string> =>
  Object.fromEntries([...stdout.matchAll(/^([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value]))

/** A former pair with a trade in a series that expires in an hour, a relay on it, and two wallets in a folder. */
async function openWorld() {
  const cwd = temporaryDir()
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  onTestFinished(() => anvil.stop())
  const dev = createDevClient(anvil.rpcUrl)
  for (const [name, byte] of Object.entries(FILES)) {
    writeFileSync(join(cwd, `${name}.json`), keyOf(byte), { mode: 0o600 })
    await dev.setBalance({ address: addressOf(byte), value: 10n ** 18n })
  }
  await dev.setCode({ address: OWNER, bytecode: '0x00' })
  await putConditionalTokens(dev, CONDITIONAL_TOKENS, [market])
  writeFileSync(join(cwd, 'password'), 'a password of a test', { mode: 0o600 })
  const environment: Record<string, string> = {
    RPC_URL: anvil.rpcUrl,
    CHAIN_ID: '80002',
    PORT: '0',
    RFQCTL_KEYSTORE_PASSWORD_FILE: join(cwd, 'password'),
    OWNER,
    GUARDIAN: addressOf(FILES.guardian),
    LISTING: addressOf(FILES.listing),
    SIGNER: addressOf(FILES.signer),
    CONDITIONAL_TOKENS,
  }
  const { rfqctl, type } = openTerminal(cwd, environment)
  const deployed = await rfqctl(
    `chain deploy --key-file former-deployer.json --owner $OWNER --registrar $LISTING --guardian $GUARDIAN --resolution-signer $SIGNER --minter ${createDevAccounts().faucet.address} --dispute-window 2h --conditional-tokens ${CONDITIONAL_TOKENS} --data-dir elsewhere`,
  )
  expect(deployed).toMatchObject({ code: 0 })
  const former = settingsIn(deployed.stdout)
  Object.assign(environment, former)
  const created = await rfqctl(
    `series create --condition-id ${market.conditionId} --yes-token ${market.yesTokenId} --collateral 0x${'c0'.repeat(20)} --type call --strike-bps 4500 --expires-in 1h --key-file listing.json --json`,
  )
  const { expiry } = JSON.parse(created.stdout) as { expiry: number }
  await trade({ former, rpcUrl: anvil.rpcUrl, expiry })
  for (const [name, { privateKey }] of [
    ['desk', DESK],
    ['client', CLIENT],
  ] as const) {
    writeFileSync(join(cwd, 'key'), privateKey, { mode: 0o600 })
    expect(await rfqctl(`wallet import ${name} --key-file key`)).toMatchObject({ code: 0 })
  }
  return { cwd, dev, environment, former, type, rfqctl, rpcUrl: anvil.rpcUrl }
}

/** The desk writes 100 calls for the client. Their money and approvals are of the former pair. */
async function trade(world: { former: Record<string, string>; rpcUrl: string; expiry: number }): Promise<void> {
  const { former, rpcUrl, expiry } = world
  const facts = {
    rpcUrl,
    chainId: 80_002,
    settlementAddress: former.SETTLEMENT_ADDRESS as Address,
    coreAddress: former.CORE_ADDRESS as Address,
    stablecoinAddress: former.STABLECOIN_ADDRESS as Address,
  }
  const chain = openChain(facts)
  for (const { address } of [DESK, CLIENT]) {
    await chain.giveGas(address)
    await chain.mint(address, 1_000_000_000n)
  }
  await chain.approveAll(privateKeyToAccount(DESK.privateKey))
  const series = {
    conditionId: market.conditionId,
    yesTokenId: market.yesTokenId,
    optionType: 'call' as const,
    strikeBps: 4_500 as StrikeBps,
    expiry,
  }
  await fillOnChain(facts, { series, maker: DESK, taker: CLIENT, makerSelling: true, amount: 100n, price: 200_000n })
}

test('the guide to new contracts, typed line by line, ends with the former pair paid out and no approval left', async () => {
  const world = await openWorld()
  const { cwd, dev, environment, former, type, rfqctl, rpcUrl } = world
  const { url } = await serveFrom(cwd, {
    hasChain: true,
    argv: ['--memory'],
    environment: { ...environment, RESOLUTION_SIGNER_KEY: keyOf(FILES.signer), SETTLE_LAG_MS: '0' },
  })
  environment.RFQCTL_URL = url
  let next: Record<string, string> = {}
  const switchTo = (pair: Record<string, string>) => Object.assign(environment, pair)
  const before = [() => {}, () => switchTo(former), () => switchTo(next), () => switchTo(former)]
  const steps = typedSteps(PAGE)
  expect(steps.length).toBe(before.length)
  for (const [index, { lines, seen }] of steps.entries()) {
    before[index]?.()
    let shown = ''
    for (const line of lines) {
      const [, hours] = /^# (\d+) hours later$/.exec(line) ?? []
      if (hours !== undefined) {
        await warpChain(dev, Number(hours) * 3_600)
        continue
      }
      const { code, stdout, stderr } = await type(line)
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
      if (line.startsWith('rfqctl chain deploy')) next = settingsIn(stdout)
      shown += stdout + stderr
    }
    for (const line of seen) expect(shown).toMatch(shownAs(line))
  }
  expect(next.SETTLEMENT_ADDRESS).not.toBe(former.SETTLEMENT_ADDRESS)
  const chain = openChain({
    rpcUrl,
    settlementAddress: former.SETTLEMENT_ADDRESS as Address,
    coreAddress: former.CORE_ADDRESS as Address,
    stablecoinAddress: former.STABLECOIN_ADDRESS as Address,
  })
  expect(await chain.dollarsOf(former.CORE_ADDRESS as Address)).toBe(0n)
  switchTo(next)
  const { stdout } = await rfqctl('doctor --json --account client')
  const left = (JSON.parse(stdout) as { findings: { check: string; found: string }[] }).findings
  expect(left.filter(({ check }) => check === 'approvals').map(({ found }) => found)).toEqual([
    expect.stringContaining('of client to former contracts'),
  ])
})
