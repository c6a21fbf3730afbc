import {
  type Abi,
  custom,
  decodeFunctionData,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionResult,
  getAddress,
  parseAbi,
  type Transport,
  toFunctionSelector,
  toHex,
} from 'viem'
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../../../src/protocol/contracts/abi.ts'
import { isPackage, optionTypeNumber, packLegs } from '../../../../src/protocol/domain/option.ts'
import { type SeriesTerms, seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import type { Address, Hex } from '../../../../src/protocol/domain/units.ts'
import { BOUNDED_PROGRAM, PROGRAM } from '../../../../src/relay/adapters/chain/views.ts'

/** An event of the core, before it has a place in a block. */
type Event = { topics: Hex[]; data: Hex }
type Block = { hash: Hex; timestamp: number; events: Event[] }
export type Request = { method: string; params: unknown[] }

/** What a contract answers: a value, an error that it reverts with (null: without one), or bytes. */
type Answer = { value: unknown } | { reverts: string | null; args?: unknown[] } | { raw: Hex }

export const CORE: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
export const SETTLEMENT: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'
export const STABLECOIN: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const ENVIRONMENT = {
  chainId: 80_002,
  coreAddress: CORE,
  settlementAddress: SETTLEMENT,
  stablecoinAddress: STABLECOIN,
}

/** A contract that signs (ERC-1271). */
export const SIGNER_CONTRACT: Address = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9'

const ABIS: Record<Address, Abi> = {
  [SIGNER_CONTRACT]: parseAbi([
    'function isValidSignature(bytes32, bytes) view returns (bytes4)',
    'function getOwners() view returns (address[])',
    'function getThreshold() view returns (uint256)',
  ]),
  [CORE]: serviceCoreAbi,
  [SETTLEMENT]: serviceRfqSettlementAbi,
  [STABLECOIN]: testUsdAbi,
}

/** The function of a call by its selector: looking through an interface would hash each signature of it again. */
const FUNCTIONS = Object.fromEntries(
  Object.entries(ABIS).map(([address, abi]) => {
    const functions = abi.filter((item) => item.type === 'function')
    const errors = abi.filter((item) => item.type === 'error')
    return [address, new Map(functions.map((item): [string, Abi] => [toFunctionSelector(item), [item, ...errors]]))]
  }),
)

/** A node in memory: a chain of blocks with the core's events, and contracts that answer what a test says. */
export type FakeNode = {
  transport: Transport
  /** What it answers, without a transport. */
  answer: (request: Request) => Promise<unknown>
  /** The number of the latest block. */
  head: () => number
  requests: Request[]
  /** Answers by `<address>.<function>`; arguments are given to functions. */
  answers: Map<string, Answer | ((args: readonly unknown[]) => Answer)>
  codes: Map<Address, Hex>
  chainId: number
  /** How many of the latest blocks are not final yet; null when the node does not know. */
  unfinal: number | null
  /** Seconds that the pending block is ahead of the latest; null when the node has none. */
  pendingAheadS: number | null
  mine: (...events: Event[]) => void
  drop: (count: number) => void
  /** Faults to throw, one per request. */
  faults: unknown[]
  /** Other methods, by name; one of its own comes after them. */
  methods: Map<string, (params: unknown[]) => unknown>
  logs: (params: unknown[]) => unknown
}

/** A node whose first block has the time `start`, Unix seconds, one second per block. */
export function createFakeNode(start = 1_800_000_000): FakeNode {
  const blocks: Block[] = []
  let mined = 0

  const node: FakeNode = {
    transport: custom({ request: (request) => answer(request as Request) }, { retryCount: 0 }),
    answer,
    head: () => blocks.length - 1,
    requests: [],
    answers: new Map(),
    codes: new Map([CORE, SETTLEMENT, STABLECOIN].map((address) => [address, '0x60'])),
    chainId: 80_002,
    unfinal: 2,
    pendingAheadS: null,
    faults: [],
    methods: new Map(),
    mine(...events) {
      mined += 1
      blocks.push({ hash: keccak256(toHex(`block ${mined}`)), timestamp: start + blocks.length, events })
    },
    drop: (count) => void blocks.splice(-count),
    logs: (params) => logsOf(params[0] as { fromBlock: Hex; toBlock: Hex; topics?: (Hex | Hex[])[] }),
  }
  node.mine()
  return node

  async function answer({ method, params }: Request): Promise<unknown> {
    node.requests.push({ method, params })
    if (node.faults.length > 0) throw node.faults.shift()
    const other = node.methods.get(method)
    if (other !== undefined) return other(params)
    if (method === 'eth_chainId') return toHex(node.chainId)
    if (method === 'eth_getCode') return node.codes.get(params[0] as Address) ?? '0x'
    if (method === 'eth_getBlockByNumber') return blockAt(params[0] as string)
    if (method === 'eth_getBlockByHash') return blockOf(blocks.findIndex(({ hash }) => hash === params[0]))
    if (method === 'eth_getLogs') return node.logs(params)
    if (method === 'eth_call') return call(params[0] as { to?: Address; data: Hex })
    throw new Error(`The fake node does not know ${method}.`)
  }

  function blockAt(tag: string): unknown {
    const latest = blocks.length - 1
    if (tag === 'pending') {
      if (node.pendingAheadS === null) return null
      return { ...blockOf(latest), timestamp: toHex((blocks[latest] as Block).timestamp + node.pendingAheadS) }
    }
    if (tag === 'finalized') return node.unfinal === null ? null : blockOf(Math.max(0, latest - node.unfinal))
    return blockOf(tag === 'latest' ? latest : Number(tag))
  }

  function blockOf(number: number): Record<string, unknown> | null {
    const block = blocks[number]
    return block === undefined
      ? null
      : {
          number: toHex(number),
          hash: block.hash,
          timestamp: toHex(block.timestamp),
          baseFeePerGas: '0x1',
          transactions: [],
        }
  }

  /** Of the topics it heeds the second, by which one series is asked for. */
  function logsOf({ fromBlock, toBlock, topics }: Parameters<typeof logsWith>[0]): unknown[] {
    return logsWith({ fromBlock, toBlock }).filter((log) => topics?.[1] === undefined || log.topics[1] === topics[1])
  }

  function logsWith({ fromBlock, toBlock }: { fromBlock: Hex; toBlock: Hex; topics?: (Hex | Hex[])[] }) {
    const first = Number(fromBlock)
    return blocks.slice(first, Number(toBlock) + 1).flatMap(({ hash, events }, index) =>
      events.map((event, logIndex) => ({
        ...event,
        address: CORE,
        blockNumber: toHex(first + index),
        blockHash: hash,
        transactionHash: hash,
        transactionIndex: '0x0',
        logIndex: toHex(logIndex),
        removed: false,
      })),
    )
  }

  /** A contract's function, or several by a multicall contract that comes with the call and is on no chain. */
  function call({ to, data }: { to?: Address; data: Hex }): Hex {
    if (to === undefined) return callMany(data)
    const { success, returnData } = callOne(to, data)
    if (success) return returnData
    throw Object.assign(new Error('execution reverted'), { code: 3, data: returnData })
  }

  function callMany(program: Hex): Hex {
    if (program.startsWith(`0x${BOUNDED_PROGRAM}`)) return callBounded(program.slice(2 + BOUNDED_PROGRAM.length))
    if (!program.startsWith(`0x${PROGRAM}`)) throw new Error('The fake node knows no other program.')
    const answers: string[] = []
    for (let at = 2 + PROGRAM.length; at < program.length; ) {
      const to = getAddress(`0x${program.slice(at, at + 40)}`)
      const end = at + 44 + 2 * Number.parseInt(program.slice(at + 40, at + 44), 16)
      const { success, returnData } = callOne(to, `0x${program.slice(at + 44, end)}`)
      const head = returnData.length - 2 + (success ? 1 : 0)
      answers.push(head.toString(16).padStart(64, '0'), returnData.slice(2))
      at = end
    }
    return `0x${answers.join('')}`
  }

  /** One call, of whose answer the first word is told. */
  function callBounded(call: string): Hex {
    const { success, returnData } = callOne(getAddress(`0x${call.slice(0, 40)}`), `0x${call.slice(40)}`)
    const head = (returnData.length >= 66 ? 64 : 0) + (success ? 1 : 0)
    return `0x${head.toString(16).padStart(64, '0')}${returnData.slice(2, 66).padEnd(64, '0')}`
  }

  function callOne(to: Address, data: Hex): { success: boolean; returnData: Hex } {
    const abi = FUNCTIONS[to]?.get(data.slice(0, 10)) as Abi
    const { functionName, args = [] } = decodeFunctionData({ abi, data })
    const rule = node.answers.get(`${to}.${functionName}`)
    if (rule === undefined) throw new Error(`The fake node was not told what ${functionName} answers.`)
    const result = typeof rule === 'function' ? rule(args) : rule
    if ('raw' in result) return { success: true, returnData: result.raw }
    if ('value' in result) {
      return { success: true, returnData: encodeFunctionResult({ abi, functionName, result: result.value } as never) }
    }
    const { reverts, args: errorArgs = [] } = result
    if (reverts === null) return { success: false, returnData: '0x' }
    return { success: false, returnData: encodeErrorResult({ abi, errorName: reverts, args: errorArgs } as never) }
  }
}

export function createdEvent(terms: SeriesTerms): Event {
  const { conditionId, yesTokenId, expiry } = terms
  const [token, until] = [BigInt(yesTokenId), BigInt(expiry)]
  if (isPackage(terms)) {
    const data = { uint256: token, 'uint256 legs': packLegs(terms.legs), uint64: until }
    return coreEvent(terms, 'PackageCreated', data, { conditionId })
  }
  const { strikeBps, optionType } = terms
  const data = { uint256: token, uint16: strikeBps, uint64: until, uint8: optionTypeNumber(optionType) }
  return coreEvent(terms, 'SeriesCreated', data, { conditionId })
}

/** The event of a settlement that names a series, final at its expiry unless said otherwise. */
export const settledEvent = (terms: SeriesTerms, resolutionBps: number, finalAt = terms.expiry): Event =>
  coreEvent(terms, 'SeriesSettled', { uint16: resolutionBps, uint64: BigInt(finalAt) })

export const voidedEvent = (terms: SeriesTerms, resolutionBps: number): Event =>
  coreEvent(terms, 'PriceVoided', { uint16: resolutionBps })

export const haltEvent = (terms: SeriesTerms, halted: boolean): Event =>
  coreEvent(terms, 'SeriesHaltChanged', { bool: halted })

export const writtenEvent = (terms: SeriesTerms, amount: bigint, collateral: bigint): Event =>
  coreEvent(
    terms,
    'OptionsWritten',
    { uint256: amount, 'uint256 collateral': collateral },
    { writer: SIGNER_CONTRACT, holder: SIGNER_CONTRACT },
  )

const RESOLUTION_SIGNER = 2

/** An account takes the role of resolution signer. */
export const appointedEvent = (role = RESOLUTION_SIGNER): Event =>
  eventOf('RoleChanged', { role, previous: STABLECOIN, holder: SIGNER_CONTRACT }, {})

/** The resolution signer is revoked, in office or while it is only proposed. */
export const revokedEvent = ({ inOffice = true, role = RESOLUTION_SIGNER } = {}): Event =>
  eventOf('RoleRevoked', { role, account: SIGNER_CONTRACT }, { bool: inOffice })

/** An event about a series: `data` by its types, and what beside the id it can be searched by. */
const coreEvent = (terms: SeriesTerms, eventName: string, data: Record<string, unknown>, indexed: object = {}): Event =>
  eventOf(eventName, { seriesId: BigInt(seriesIdOf(terms)), ...indexed }, data)

function eventOf(eventName: string, args: object, data: Record<string, unknown>): Event {
  if (Object.keys(data).length === 0) {
    return { topics: encodeEventTopics({ abi: serviceCoreAbi as Abi, eventName, args }) as Hex[], data: '0x' }
  }
  return {
    topics: encodeEventTopics({ abi: serviceCoreAbi as Abi, eventName, args }) as Hex[],
    data: encodeAbiParameters(parseAbiParameters(Object.keys(data).join(', ')), Object.values(data)),
  }
}
