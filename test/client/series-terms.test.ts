import {
  custom,
  type EIP1193RequestFn,
  encodeAbiParameters,
  encodeEventTopics,
  hexToBigInt,
  numberToHex,
  zeroHash,
} from 'viem'
import { expect, test } from 'vitest'
import { readSeriesTerms } from '../../src/client/series-terms.ts'
import { serviceCoreAbi } from '../../src/protocol/contracts/abi.ts'
import { packLegs } from '../../src/protocol/domain/option.ts'
import type { Address, Hex, StrikeBps } from '../../src/protocol/domain/units.ts'

const CORE: Address = '0x3333333333333333333333333333333333333333'
const CONDITION: Hex = `0x${'7e'.repeat(32)}`
const HEAD = 40_000_000n

const CREATED = {
  topics: encodeEventTopics({
    abi: serviceCoreAbi,
    eventName: 'SeriesCreated',
    args: { seriesId: 7n, conditionId: CONDITION },
  }),
  data: encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint16' }, { type: 'uint64' }, { type: 'uint8' }],
    [42n, 4_500, 1_800_000_000n, 1],
  ),
}

const LEGS = [
  { optionType: 'call' as const, strikeBps: 4_000 as StrikeBps, quantity: 1 },
  { optionType: 'call' as const, strikeBps: 6_000 as StrikeBps, quantity: -1 },
]
const PACKAGE = {
  topics: encodeEventTopics({
    abi: serviceCoreAbi,
    eventName: 'PackageCreated',
    args: { seriesId: 7n, conditionId: CONDITION },
  }),
  data: encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint64' }],
    [42n, packLegs(LEGS), 1_800_000_000n],
  ),
}

/** A node with the registration of series 7 in a block, that gives at most `most` blocks at a time. */
function nodeWith({ most, at = 12_345n, event = CREATED }: { most: bigint; at?: bigint; event?: typeof CREATED }) {
  const asked: bigint[] = []
  const request = async ({ method, params }: { method: string; params: unknown }) => {
    if (method === 'eth_blockNumber') return numberToHex(HEAD)
    const [{ fromBlock, toBlock, topics }] = params as [{ fromBlock: Hex; toBlock: Hex; topics: [Hex[], Hex] }]
    const [from, to] = [hexToBigInt(fromBlock), hexToBigInt(toBlock)]
    asked.push(to - from + 1n)
    if (to - from + 1n > most) throw new Error('query exceeds max block range')
    const isIt = from <= at && at <= to && topics[1] === event.topics[1] && topics[0].includes(event.topics[0])
    return isIt
      ? [{ ...event, address: CORE, blockNumber: numberToHex(at), logIndex: '0x0', transactionHash: zeroHash }]
      : []
  }
  const transport = custom({ request: request as EIP1193RequestFn }, { retryCount: 0 })
  return { asked, chain: { coreAddress: CORE, transport } }
}

const TERMS = { conditionId: CONDITION, yesTokenId: '42', expiry: 1_800_000_000 }

test('the terms of a series are read from the event that registered it, in one request where the node lets us', async () => {
  const { asked, chain } = nodeWith({ most: HEAD + 1n })
  expect(await readSeriesTerms(chain, { seriesId: '7' })).toEqual({
    ...TERMS,
    seriesId: '7',
    strikeBps: 4_500,
    optionType: 'put',
  })
  expect(asked).toEqual([HEAD + 1n])
})

test('a package has its legs', async () => {
  const { chain } = nodeWith({ most: HEAD + 1n, event: PACKAGE as typeof CREATED })
  expect(await readSeriesTerms(chain, { seriesId: '7' })).toMatchObject({ ...TERMS, legs: LEGS })
})

test('a node that gives ten thousand blocks at a time is asked until the event is found, however old it is', async () => {
  const { asked, chain } = nodeWith({ most: 10_000n, at: 0n })
  expect(await readSeriesTerms(chain, { seriesId: '7' })).toMatchObject(TERMS)
  expect(asked.length).toBeGreaterThan(4_000)
})

test('an unknown series has none, nor has one before the first block that is looked at', async () => {
  const { chain } = nodeWith({ most: HEAD + 1n })
  expect(await readSeriesTerms(chain, { seriesId: '8' })).toBeNull()
  expect(await readSeriesTerms(chain, { seriesId: '7', fromBlock: 12_346n })).toBeNull()
})

test('a node that gives no events at all ends the search', async () => {
  const { asked, chain } = nodeWith({ most: 0n })
  expect(await readSeriesTerms(chain, { seriesId: '7' })).toBeNull()
  expect(asked.length).toBeLessThan(20)
})
