import fc from 'fast-check'
import { encodeAbiParameters, encodeEventTopics, getAbiItem, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { serviceCoreAbi } from '../../../../src/protocol/contracts/abi.ts'
import type { AuthorityEvent } from '../../../../src/protocol/domain/authority.ts'
import type { Hex } from '../../../../src/protocol/domain/units.ts'
import { createAuthority } from '../../../../src/relay/adapters/chain/authority-events.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import type { Authority } from '../../../../src/relay/core/ports/chain.ts'
import { CORE, createFakeNode, type FakeNode, SETTLEMENT, STABLECOIN } from './fake-node.ts'
import { nodesBehind } from './lagging-nodes.ts'

type Name = Extract<(typeof serviceCoreAbi)[number], { type: 'event' }>['name']

/** An event of the core with all its arguments, by name. */
function coreEvent(eventName: Name, args: Record<string, unknown>) {
  const { inputs } = getAbiItem({ abi: serviceCoreAbi, name: eventName }) as {
    inputs: readonly { name: string; type: string; indexed?: boolean }[]
  }
  const plain = inputs.filter(({ indexed }) => indexed !== true)
  return {
    topics: encodeEventTopics({ abi: serviceCoreAbi, eventName, args } as never) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map(({ name }) => args[name]),
    ),
  }
}

const proposed = (role: number, acceptableAt = 1_800_300_000n) =>
  coreEvent('RoleProposed', { role, account: SETTLEMENT, acceptableAt, lapsesAt: acceptableAt + 604_800n })

describe('the authority over a core', () => {
  let node: FakeNode
  let authority: Authority

  const mine = (count: number) => {
    for (let block = 0; block < count; block += 1) node.mine()
  }
  const open = (transport = node.transport, overlapBlocks = 4n) =>
    createAuthority({
      rpc: createRpc(transport, async () => {}),
      coreAddress: CORE,
      startBlock: 0n,
      lookBackBlocks: 20n,
      overlapBlocks,
    })
  const kindsOf = (events: readonly AuthorityEvent[]) => events.map(({ kind }) => kind)

  function answer(fake: FakeNode): FakeNode {
    fake.answers.set(`${CORE}.holderOf`, ([role]) => ({ value: role === 3 ? zeroAddress : STABLECOIN }))
    fake.answers.set(`${CORE}.pendingRole`, ([role]) => ({
      value: role === 2 ? [SETTLEMENT, 1_800_300_000n, 1_800_904_800n] : [zeroAddress, 0n, 0n],
    }))
    return fake
  }

  beforeEach(() => {
    node = answer(createFakeNode())
    node.unfinal = 2
    authority = open()
  })

  it('is who holds each role, and who is proposed for one', async () => {
    expect(authority.last()).toBeNull()
    const { standing } = await authority.read()
    expect(standing.roles).toEqual([
      { role: 'owner', holder: STABLECOIN, proposed: null },
      { role: 'guardian', holder: STABLECOIN, proposed: null },
      {
        role: 'resolution_signer',
        holder: STABLECOIN,
        proposed: { account: SETTLEMENT, acceptableAt: 1_800_300_000, lapsesAt: 1_800_904_800 },
      },
      { role: 'registrar', holder: null, proposed: null },
      { role: 'halter', holder: STABLECOIN, proposed: null },
    ])
    expect(authority.last()).toBe(standing)
  })

  it('tells of an event once, when its block is final; of before the first read it only knows', async () => {
    node.mine(proposed(0))
    mine(3)
    const first = await authority.read()
    expect([kindsOf(first.standing.events), first.news]).toEqual([['role_proposed'], []])
    node.mine(coreEvent('RoleRevoked', { role: 2, account: SETTLEMENT, inOffice: true }))
    mine(1)
    expect((await authority.read()).news).toEqual([])
    mine(1)
    const { news, standing } = await authority.read()
    expect(news).toMatchObject([
      { kind: 'role_revoked', role: 'resolution_signer', account: SETTLEMENT, blockNumber: 5 },
    ])
    expect(kindsOf(standing.events)).toEqual(['role_proposed', 'role_revoked'])
    mine(30)
    expect((await authority.read()).news).toEqual([])
    expect(kindsOf((await authority.read()).standing.events)).toEqual(['role_proposed', 'role_revoked'])
  })

  it('names each event, its series and its price', async () => {
    await authority.read()
    const [seriesId, resolutionBps] = [7n, 59]
    node.mine(
      proposed(1),
      coreEvent('RoleChanged', { role: 3, previous: SETTLEMENT, holder: zeroAddress }),
      coreEvent('SeriesHaltChanged', { seriesId, halted: true }),
      coreEvent('SeriesHaltChanged', { seriesId, halted: false }),
      coreEvent('ManualResolutionProposed', { seriesId, resolutionBps, executableAt: 1_800_086_400n }),
      coreEvent('ManualResolutionExecuted', { seriesId, resolutionBps }),
      coreEvent('ConditionResolutionExecuted', { seriesId, payoutNumerator: 1n, payoutDenominator: 2n }),
      coreEvent('PriceVoided', { seriesId, resolutionBps }),
      coreEvent('ManualResolutionVetoed', { seriesId, resolutionBps }),
      coreEvent('DefaultCapChanged', { cap: 1_000_000n }),
    )
    mine(2)
    const { news } = await authority.read()
    const price = { seriesId: '7', resolutionBps: 59 }
    expect(news).toMatchObject([
      { kind: 'role_proposed', role: 'guardian', account: SETTLEMENT, effectiveAt: 1_800_300_000 },
      { kind: 'role_changed', role: 'registrar', account: null },
      { kind: 'series_halted', seriesId: '7' },
      { kind: 'series_resumed', seriesId: '7' },
      { kind: 'price_proposed', ...price, effectiveAt: 1_800_086_400 },
      { kind: 'price_executed', ...price },
      { kind: 'price_of_condition', seriesId: '7' },
      { kind: 'price_voided', ...price },
      { kind: 'price_proposal_vetoed', ...price },
      { kind: 'default_cap_changed', seriesId: null },
    ])
  })

  it('tells all that stayed, once each, behind three nodes that disagree and reorganise', async () => {
    const step = fc.record({
      drops: fc.nat({ max: 3 }),
      blocks: fc.array(fc.boolean(), { maxLength: 6 }),
      lags: fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 }), fc.nat({ max: 6 })),
    })
    const scene = fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 12 }),
      unfinal: fc.nat({ max: 3 }),
      overlap: fc.constantFrom(1n, 2n, 5n),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ steps, unfinal, overlap }) => {
        node = answer(createFakeNode())
        node.unfinal = unfinal
        mine(10)
        let lags: readonly number[] = [0]
        let turn = 0
        authority = open(
          nodesBehind(node, () => lags[turn++ % lags.length] as number),
          overlap,
        )
        await authority.read()
        const used = new Set<number>()
        const told: number[] = []
        const look = async () => told.push(...(await authority.read()).news.map(({ blockNumber }) => blockNumber))
        for (const { drops, blocks, lags: next } of steps) {
          const dropped = Math.min(drops, unfinal)
          if (dropped > 0) node.drop(dropped)
          for (const block of used) if (block > node.head()) used.delete(block)
          mine(dropped)
          for (const isUse of blocks) {
            node.mine(...(isUse ? [proposed(0, BigInt(node.head()))] : []))
            if (isUse) used.add(node.head())
          }
          lags = next
          await look().catch((fault: unknown) => expect(fault).toMatchObject({ code: 'chain_unavailable' }))
        }
        lags = [0]
        mine(unfinal + 1)
        await look()
        expect(told.toSorted((a, b) => a - b)).toEqual([...used])
      }),
      { numRuns: 60 },
    )
  })
})
