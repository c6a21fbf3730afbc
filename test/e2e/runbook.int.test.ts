import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createContractCalls } from '../../src/client/contract-calls.ts'
import { createTakerClient } from '../../src/client/taker.ts'
import { startAnvil } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { readChainTime, warpChain } from '../../src/onchain/devnet/warp.ts'
import { attestationDomain, attestationTypedData } from '../../src/protocol/domain/attestation.ts'
import type { Address, Hex, ResolutionBps } from '../../src/protocol/domain/units.ts'
import { type FixtureMarket, readFixtureMarkets } from '../../src/relay/adapters/markets/fixture-markets.ts'
import { serveFrom } from '../cli/serving.ts'
import { type Ran, temporaryDir } from '../cli/support.ts'
import { putConditionalTokens } from '../support/conditional-tokens.ts'
import { openTerminal, shownAs, type TypedStep, typedSteps } from './typed-page.ts'

/** Address of Polymarket's conditional tokens on Polygon. */
const CONDITIONAL_TOKENS = '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045'
const COLLATERAL = `--collateral 0x${'c0'.repeat(20)}`

/** Where no relay answers. */
const NO_RELAY = '--url http://127.0.0.1:2'

/** One that has made-up prices. */
const market = readFixtureMarkets()[0] as FixtureMarket

/** A market that no relay lists. */
const OTHER = { conditionId: `0x${'7f'.repeat(32)}`, yesTokenId: '4243' } as const

const PAGE = readFileSync(new URL('../../docs/guides/operator/runbook.md', import.meta.url), 'utf8')

/** The keys of an operator, a file each, and of a thief. */
const KEYS = {
  deployer: 'd1',
  owner: 'd2',
  guardian: 'd3',
  registrar: 'd4',
  signer: 'd5',
  faucet: 'd6',
  keeper: 'd7',
  'new-owner': 'd8',
  'new-guardian': 'd9',
  'new-signer': 'da',
  thief: 'db',
} as const
type Name = keyof typeof KEYS
const keyOf = (name: Name): Hex => `0x${KEYS[name].repeat(32)}`
const addressOf = (name: Name): Address => privateKeyToAccount(keyOf(name)).address

/** The steps of a heading of the page; null: of what is before the first one. */
function stepsOf(heading: string | null): TypedStep[] {
  const part = heading === null ? PAGE : (PAGE.split(new RegExp(`^## ${heading}$`, 'm'))[1] ?? '')
  return typedSteps(part.split(/^## /m)[0] ?? '')
}

/** A deployment with a role for each key and a dispute window of two hours, a relay on it, and a series that expires in an hour. */
async function openWorld() {
  const cwd = temporaryDir()
  const anvil = await startAnvil({ port: 0, statePath: null, outlives: false })
  onTestFinished(() => anvil.stop())
  const dev = createDevClient(anvil.rpcUrl)
  for (const name of Object.keys(KEYS) as Name[]) {
    writeFileSync(join(cwd, `${name}.json`), keyOf(name), { mode: 0o600 })
    await dev.setBalance({ address: addressOf(name), value: 10n ** 18n })
  }
  await putConditionalTokens(dev, CONDITIONAL_TOKENS, [market, OTHER])
  const environment: Record<string, string> = {
    RPC_URL: anvil.rpcUrl,
    CHAIN_ID: '80002',
    OPERATOR_TOKEN: 'the-token-of-the-operator',
    SIGNER: addressOf('signer'),
    NEW_SIGNER: addressOf('new-signer'),
    NEW_OWNER: addressOf('new-owner'),
    NEW_GUARDIAN: addressOf('new-guardian'),
    THIEF: addressOf('thief'),
  }
  const { rfqctl, type } = openTerminal(cwd, environment)
  const roles = ['owner', 'guardian', 'registrar'].map((role) => `--${role} ${addressOf(role as Name)}`).join(' ')
  const deployed = await rfqctl(
    `chain deploy --key-file deployer.json ${roles} --resolution-signer $SIGNER --minter ${addressOf('faucet')} --dispute-window 2h --conditional-tokens ${CONDITIONAL_TOKENS}`,
  )
  expect(deployed).toMatchObject({ code: 0 })
  for (const line of deployed.stdout.trim().split('\n')) {
    const [name = '', value = ''] = line.split('=')
    environment[name] = value
  }
  const created = await rfqctl(
    `series create --condition-id ${market.conditionId} --yes-token ${market.yesTokenId} ${COLLATERAL} --type call --strike-bps 4500 --expires-in 1h --key-file registrar.json --json`,
  )
  environment.SERIES = JSON.parse(created.stdout).seriesId
  return { cwd, dev, environment, rfqctl, type }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** A relay whose prices are made up, beside the world. */
async function serve({ cwd, environment }: World, key: Name = 'signer'): Promise<void> {
  const { url } = await serveFrom(cwd, {
    hasChain: true,
    argv: ['--memory'],
    environment: { ...environment, RESOLUTION_SIGNER_KEY: keyOf(key), SETTLE_LAG_MS: '0' },
  })
  environment.RFQCTL_URL = url
}

/** Types the steps of a heading, one after the other, and looks at what is seen. */
async function walk(
  heading: string | null,
  { type, dev }: World,
  { beforeStep = {} }: { beforeStep?: Record<number, () => Promise<unknown>> } = {},
): Promise<void> {
  const steps = stepsOf(heading)
  expect(steps.length).toBeGreaterThan(0)
  for (const [index, { lines, seen }] of steps.entries()) {
    await beforeStep[index]?.()
    let shown = ''
    for (const line of lines) {
      const [, count, unit] = /^# (\d+) (hours|days) later$/.exec(line) ?? []
      if (count !== undefined) {
        await warpChain(dev, Number(count) * (unit === 'days' ? 86_400 : 3_600))
        continue
      }
      const { code, stdout, stderr } = await type(line)
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
      shown += stdout + stderr
    }
    for (const line of seen) expect(shown).toMatch(shownAs(line))
  }
}

/** The thief, or a signer that is wrong, names a price of a dollar. */
async function settleWrongly(
  { dev, environment }: World,
  { seriesId = environment.SERIES ?? '', price = 100 } = {},
): Promise<void> {
  const attestation = {
    seriesId,
    resolutionBps: price as ResolutionBps,
    validUntil: (await readChainTime(dev)) + 900,
  }
  const typedData = attestationTypedData(attestation, attestationDomain(80_002, environment.CORE_ADDRESS as Address))
  const signature = await privateKeyToAccount(keyOf('signer')).signTypedData(typedData)
  await clientOf('thief', { dev, environment }).settleSeries({ prepared: { attestation, signature } })
}

const clientOf = (name: Name, { environment }: { dev: DevClient; environment: Record<string, string> }) =>
  createTakerClient({
    url: 'http://127.0.0.1:2',
    account: privateKeyToAccount(keyOf(name)),
    chain: {
      chainId: 80_002,
      coreAddress: environment.CORE_ADDRESS as Address,
      settlementAddress: environment.SETTLEMENT_ADDRESS as Address,
      transport: http(environment.RPC_URL),
      pollingIntervalMs: 20,
    },
  })

describe('the runbook, typed line by line on a chain of its own', () => {
  test('the page is walked whole: every heading has its test', () => {
    const headings = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      'The resolution signer gets a new key',
      // Its command and all that it names: `test/e2e/quorum.int.test.ts`, `test/relay/adapters/quorum.test.ts`.
      'One of several signers fails',
      'The key of the resolution signer leaked',
      "The owner's key leaked",
      "The guardian's key leaked",
      'The price source is wrong',
      'The node lies or lags',
      // Its command and all that it names: `test/cluster/back-in-time.test.ts`, `test/cli/db.int.test.ts`.
      'The database went back in time',
      'The chain has no new blocks',
    ])
  })

  test('the resolution signer gets a new key, and series settle by the former one until then, by the new one from then on', async () => {
    const world = await openWorld()
    const { rfqctl, environment } = world
    await serve(world)
    const create = async (strike: number, tenor: string): Promise<string> => {
      const { stdout } = await rfqctl(
        `series create --condition-id ${market.conditionId} --yes-token ${market.yesTokenId} ${COLLATERAL} --type call --strike-bps ${strike} --expires-in ${tenor} --key-file registrar.json --json`,
      )
      return JSON.parse(stdout).seriesId
    }
    const later = await create(5_000, '4d')
    await walk('The resolution signer gets a new key', world)
    await warpChain(world.dev, 90_000)
    const submit = `settle submit ${later} --key-file keeper.json`
    const former = await rfqctl(submit)
    expect(former.stderr).toContain(`accepts attestations signed by ${environment.NEW_SIGNER}; this relay signs as`)
    await serve(world, 'new-signer')
    expect(await rfqctl(submit)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^settled /) })
    expect((await rfqctl('chain status')).stdout).toContain(`resolution signer  ${environment.NEW_SIGNER}`)
  })

  test('the key of the resolution signer leaked', async () => {
    const world = await openWorld()
    await serve(world)
    await warpChain(world.dev, 3_700)
    await settleWrongly(world)
    await walk(null, world)
    await walk('The key of the resolution signer leaked', world, {
      beforeStep: { 2: () => serve(world, 'new-signer') },
    })
    const { stdout } = await world.rfqctl('chain status')
    expect(stdout).toContain(`resolution signer  ${addressOf('new-signer')}`)
    // What the thief signed before, and signs now, is worth nothing.
    await expect(settleWrongly(world)).rejects.toThrow()
  })

  test("the owner's key leaked", async () => {
    const world = await openWorld()
    await serve(world)
    const create = (tenor: string) =>
      world.rfqctl(
        `series create --condition-id ${OTHER.conditionId} --yes-token ${OTHER.yesTokenId} ${COLLATERAL} --type call --strike-bps 4500 --expires-in ${tenor} --key-file registrar.json --json`,
      )
    const other = await create('30d')
    const third = await create('31d')
    const idOf = ({ stdout }: Ran): string => JSON.parse(stdout).seriesId
    const calls = createContractCalls({
      coreAddress: world.environment.CORE_ADDRESS as Address,
      settlementAddress: world.environment.SETTLEMENT_ADDRESS as Address,
    })
    const thief = clientOf('owner', world)
    for (const role of ['owner', 'signer', 'guardian'] as const) {
      await thief.sendCall({ call: calls.proposeRole({ role, account: addressOf('thief') }) })
    }
    await warpChain(world.dev, 3_700)
    await walk("The owner's key leaked", world, {
      beforeStep: {
        // The thief, who holds the owner's key, removes the signer, and names prices a week after the expiries of a month later.
        3: async () => {
          await thief.sendCall({ call: calls.revokeRole({ role: 'signer', account: addressOf('signer') }) })
          await warpChain(world.dev, 39 * 86_400)
          for (const seriesId of [idOf(other), idOf(third)]) {
            await thief.sendCall({ call: calls.proposeManual({ seriesId, resolutionBps: 100 as ResolutionBps }) })
          }
          world.environment.SERIES = idOf(other)
        },
        4: async () => {
          world.environment.SERIES = idOf(third)
        },
      },
    })
    expect((await world.rfqctl('chain status')).stdout).toMatch(new RegExp(`owner +${addressOf('new-owner')}`))
  })

  test("the guardian's key leaked", async () => {
    const world = await openWorld()
    const calls = createContractCalls({
      coreAddress: world.environment.CORE_ADDRESS as Address,
      settlementAddress: world.environment.SETTLEMENT_ADDRESS as Address,
    })
    const thief = clientOf('guardian', world)
    await thief.sendCall({ call: calls.setHalted({ seriesIds: [world.environment.SERIES ?? ''], isHalted: true }) })
    await thief.sendCall({ call: calls.revokeRole({ role: 'signer', account: addressOf('signer') }) })
    await walk("The guardian's key leaked", world)
  })

  test('the price source is wrong', async () => {
    const world = await openWorld()
    await serve(world)
    const other = await world.rfqctl(
      `series create --condition-id ${OTHER.conditionId} --yes-token ${OTHER.yesTokenId} ${COLLATERAL} --type call --strike-bps 4500 --expires-in 30d --key-file registrar.json`,
    )
    expect(other.code).toBe(0)
    await warpChain(world.dev, 3_700)
    await settleWrongly(world)
    await walk('The price source is wrong', world)
  })

  test('a price of one series settles its sibling, and a market pays out in the end, without a relay', async () => {
    const world = await openWorld()
    await serve(world)
    const { rfqctl, dev } = world
    const [{ expiry }] = JSON.parse((await rfqctl('series list --json')).stdout).series
    const sibling = await rfqctl(
      `series create --condition-id ${market.conditionId} --yes-token ${market.yesTokenId} --type put --strike-bps 4500 --expires ${new Date(expiry * 1_000).toISOString().slice(0, 16)}Z --key-file registrar.json --json`,
    )
    const other: string = JSON.parse(sibling.stdout).seriesId
    await warpChain(dev, 3_700)
    await settleWrongly(world)
    const vetoed = await rfqctl(`settle veto ${other} --key-file guardian.json ${NO_RELAY}`)
    expect(vetoed).toMatchObject({ code: 0, stderr: expect.stringContaining('price $1.00') })
    const last = `settle last-resort $SERIES --key-file keeper.json ${NO_RELAY}`
    expect(await rfqctl(last)).toMatchObject({ code: 8, stderr: expect.stringContaining('is not allowed yet') })
    await warpChain(dev, 30 * 86_400)
    expect(await rfqctl(last)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('by the payout of its market'),
    })
    for (const series of ['$SERIES', other]) {
      expect((await rfqctl(`chain halt ${series} --key-file guardian.json ${NO_RELAY}`)).stderr).toContain(
        'price $1.00, final',
      )
    }
  })

  test('the node lies or lags', async () => {
    const world = await openWorld()
    await serve(world)
    // The node that lies is another chain of the same id; what the operator moves to is the one with the contracts.
    const liar = await startAnvil({ port: 0, statePath: null, outlives: false })
    onTestFinished(() => liar.stop())
    world.environment.OTHER_RPC_URL = world.environment.RPC_URL ?? ''
    world.environment.RPC_URL = liar.rpcUrl
    expect((await world.rfqctl('chain status')).stdout).not.toContain('owner')
    await walk('The node lies or lags', world)
  })

  test('the chain has no new blocks', async () => {
    const world = await openWorld()
    await serve(world)
    await world.dev.setAutomine(false)
    await walk('The chain has no new blocks', world, {
      beforeStep: {
        1: async () => {
          await world.dev.setAutomine(true)
          await warpChain(world.dev, 3_700)
        },
      },
    })
  })
})
