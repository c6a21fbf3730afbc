import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import {
  type AuthorityEvent,
  type AuthorityRecord,
  type AuthorityRole,
  ROLES,
  type RoleHolder,
} from '@rfqctl/protocol/domain/authority'
import type { Address, ResolutionBps } from '@rfqctl/protocol/domain/units'
import { type GetLogsReturnType, getAbiItem, getAddress, toFunctionSelector, toHex, zeroAddress } from 'viem'
import type { Authority } from '../../core/ports/chain.ts'
import { CHUNK_BLOCKS, createLogFollower, inChainOrder, OVERLAP_BLOCKS } from './log-follower.ts'
import { readLogs } from './log-reader.ts'
import type { Rpc } from './rpc.ts'
import { encodeView, type View } from './views.ts'

/** All events by which a role is used or changes hands, except daily ones of resolution signer and registrar. */
const AUTHORITY_EVENTS = [
  getAbiItem({ abi: serviceCoreAbi, name: 'RoleProposed' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'RoleChanged' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'RoleRevoked' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'SeriesHaltChanged' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'ManualResolutionProposed' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'ManualResolutionExecuted' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'ConditionResolutionExecuted' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'PriceVoided' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'ManualResolutionVetoed' }),
  getAbiItem({ abi: serviceCoreAbi, name: 'DefaultCapChanged' }),
] as const

type AuthorityLog = GetLogsReturnType<undefined, typeof AUTHORITY_EVENTS, true>[number]

const HOLDER_OF = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'holderOf' }))
const PENDING_ROLE = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'pendingRole' }))

/** Blocks that a fresh process looks back: a day at one every two seconds. */
const LOOK_BACK_BLOCKS = 43_200n

const EVENTS_KEPT = 200

/** Follows the roles of a core and their use in its final blocks. Sizes are for tests. */
export function createAuthority(parts: {
  rpc: Rpc
  coreAddress: Address
  startBlock: bigint
  lookBackBlocks?: bigint
  overlapBlocks?: bigint
}): Authority {
  const { rpc, coreAddress, startBlock, lookBackBlocks = LOOK_BACK_BLOCKS, overlapBlocks = OVERLAP_BLOCKS } = parts
  const beforeStart = startBlock - 1n
  const follower = createLogFollower<AuthorityLog>({
    rpc,
    read: (from, to) =>
      readLogs(rpc, { from, to, span: CHUNK_BLOCKS }, (client, fromBlock, toBlock) =>
        client.getLogs({ address: coreAddress, events: AUTHORITY_EVENTS, strict: true, fromBlock, toBlock }),
      ),
    startBlock,
    overlapBlocks,
    resume: async () => null,
    begin: ({ head, final }) => {
      const block = (final ?? head).block - lookBackBlocks
      return { block: block > beforeStart ? block : beforeStart, hash: null }
    },
  })
  /** Events already reported, as far as a read can find them again. */
  let told: ReadonlySet<string> = new Set()
  let standing: AuthorityRecord | null = null

  return {
    last: () => standing,
    read: async () => {
      const { isRestarted } = await follower.read()
      const final = follower.final()?.block ?? -1n
      const found = follower.recent().filter(({ blockNumber }) => blockNumber <= final)
      const news = found.filter((log) => !told.has(nameOf(log))).toSorted(inChainOrder)
      const roles = await rpc.read(({ view }) => Promise.all(ROLES.map((_, role) => readRole(view, coreAddress, role))))
      const isFirst = standing === null || isRestarted
      const former = isFirst ? [] : (standing?.events ?? [])
      standing = { roles, events: [...former, ...news.map(eventOf)].slice(-EVENTS_KEPT) }
      told = new Set(found.map(nameOf))
      await follower.advance()
      return { standing, news: isFirst ? [] : news.map(eventOf) }
    },
  }
}

const nameOf = ({ blockNumber, logIndex }: AuthorityLog): string => `${blockNumber} ${logIndex}`

async function readRole(view: View, core: Address, role: number): Promise<RoleHolder> {
  const [[holder = 0n], [account = 0n, acceptableAt, lapsesAt]] = await Promise.all([
    view(core, encodeView(HOLDER_OF, BigInt(role))),
    view(core, encodeView(PENDING_ROLE, BigInt(role)), 3),
  ])
  return {
    role: ROLES[role] as AuthorityRole,
    holder: addressIn(holder),
    proposed:
      account === 0n
        ? null
        : { account: toAddress(account), acceptableAt: Number(acceptableAt), lapsesAt: Number(lapsesAt) },
  }
}

const toAddress = (word: bigint): Address => getAddress(toHex(word, { size: 20 }))

const addressIn = (word: bigint): Address | null => (word === 0n ? null : toAddress(word))

const someone = (address: Address): Address | null => (address === zeroAddress ? null : address)

function eventOf({ transactionHash, blockNumber, ...log }: AuthorityLog): AuthorityEvent {
  const place = { blockNumber: Number(blockNumber), transactionHash }
  return { role: null, account: null, seriesId: null, resolutionBps: null, effectiveAt: null, ...factOf(log), ...place }
}

type Fact = Pick<AuthorityEvent, 'kind'> & Partial<AuthorityEvent>

function factOf(log: Pick<AuthorityLog, 'eventName' | 'args'>): Fact {
  const { eventName, args } = log as AuthorityLog
  const role = 'role' in args ? { role: ROLES[args.role] as AuthorityRole } : {}
  const series = 'seriesId' in args ? { seriesId: args.seriesId.toString() } : {}
  const price = 'resolutionBps' in args ? { resolutionBps: args.resolutionBps as ResolutionBps } : {}
  switch (eventName) {
    case 'RoleProposed':
      return { kind: 'role_proposed', ...role, account: args.account, effectiveAt: Number(args.acceptableAt) }
    case 'RoleChanged':
      return { kind: 'role_changed', ...role, account: someone(args.holder) }
    case 'RoleRevoked':
      return { kind: 'role_revoked', ...role, account: args.account }
    case 'SeriesHaltChanged':
      return { kind: args.halted ? 'series_halted' : 'series_resumed', ...series }
    case 'ManualResolutionProposed':
      return { kind: 'price_proposed', ...series, ...price, effectiveAt: Number(args.executableAt) }
    case 'ManualResolutionExecuted':
      return { kind: 'price_executed', ...series, ...price }
    case 'ConditionResolutionExecuted':
      return { kind: 'price_of_condition', ...series }
    case 'PriceVoided':
      return { kind: 'price_voided', ...series, ...price }
    case 'ManualResolutionVetoed':
      return { kind: 'price_proposal_vetoed', ...series, ...price }
    case 'DefaultCapChanged':
      return { kind: 'default_cap_changed' }
  }
}
