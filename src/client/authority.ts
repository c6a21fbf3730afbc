import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import {
  type Address,
  type Contracts,
  contracts,
  type ResolutionBps,
  type Usd6,
  usd6,
} from '@rfqctl/protocol/domain/units'
import { createPublicClient, type PublicClient, zeroAddress } from 'viem'
import { ClientSetupError } from './errors.ts'
import type { ChainSetup } from './wallet.ts'

/** Role of the core that passes by a proposal, which its holder accepts. */
export type Role = 'owner' | 'guardian' | 'signer'

/** Numbers of the roles in the contract. */
export const ROLE_NUMBERS: Readonly<Record<Role, number>> = { owner: 0, guardian: 1, signer: 2 }

/** Roles that the owner sets at once. */
export type SetRole = 'registrar' | 'halter'

export const SET_ROLE_NUMBERS: Readonly<Record<SetRole, number>> = { registrar: 3, halter: 4 }

const DAY = 86_400

/** Seconds that the core waits; its code has them as constants. */
const NOTICES = { role: 3 * DAY, price: DAY } as const
const PRICE_GRACE = 2 * DAY

/** Holder of a role, and the account proposed for it. */
export type RoleState = {
  /** Null where the role is vacant. */
  holder: Address | null
  /** The `address` may take it from `acceptableAt` to `lapsesAt` (Unix seconds); null where no one is. */
  proposed: { address: Address; acceptableAt: number; lapsesAt: number } | null
}

/** Roles of a core as of its last block: the `owner`, the `guardian`, and the `signer` of resolutions. */
export type Authority = Readonly<Record<Role, RoleState>> & {
  /** Chain time, Unix seconds. */
  time: number
  /** Account that registers series besides the owner. */
  registrar: Address | null
  /** Account that halts series besides the owner and the guardian. */
  halter: Address | null
  /** Most that all series of a market and expiry can have to pay together, for those registered later; 0: no cap. */
  defaultCap: Usd6
  /** Seconds before a proposed `role` can be taken, and before the owner's own `price` counts. */
  notices: Readonly<Record<'role' | 'price', number>>
  /** Seconds before an expiry in which its series do not trade. */
  tradingCutoff: number
  /** Seconds in which a signed price can be vetoed. */
  disputeWindow: number
  /** The contract whose payouts are the last resort; null where there is none. */
  conditionalTokens: Address | null
}

/**
 * Reads the roles of a core from the chain, never from a relay.
 * @param chain - The chain, with a transport.
 * @returns The roles.
 * @throws ClientSetupError without a transport; viem's error where the node fails.
 * @example
 * import { getAuthority } from 'rfqctl/client'
 * import { http } from 'viem'
 *
 * const { owner, signer } = await getAuthority({
 *   coreAddress: '0x1000000000000000000000000000000000000002',
 *   transport: http('http://127.0.0.1:8545'),
 * })
 * console.log(owner.holder, signer.proposed)
 */
export async function getAuthority(chain: Pick<ChainSetup, 'coreAddress' | 'transport'>): Promise<Authority> {
  const client = readerOf(chain)
  const { number: blockNumber, timestamp } = await client.getBlock()
  const core = { address: chain.coreAddress, abi: serviceCoreAbi, blockNumber } as const
  const readRole = async (role: Role): Promise<RoleState> => {
    const args = [ROLE_NUMBERS[role]] as const
    const [holder, [account, acceptableAt, lapsesAt]] = await Promise.all([
      client.readContract({ ...core, functionName: 'holderOf', args }),
      client.readContract({ ...core, functionName: 'pendingRole', args }),
    ])
    const address = orNull(account)
    const proposed = { acceptableAt: Number(acceptableAt), lapsesAt: Number(lapsesAt) }
    return { holder: orNull(holder), proposed: address === null ? null : { address, ...proposed } }
  }
  const [owner, guardian, signer, registrar, halter, defaultCap, tradingCutoff, disputeWindow, conditionalTokens] =
    await Promise.all([
      readRole('owner'),
      readRole('guardian'),
      readRole('signer'),
      client.readContract({ ...core, functionName: 'holderOf', args: [SET_ROLE_NUMBERS.registrar] }),
      client.readContract({ ...core, functionName: 'holderOf', args: [SET_ROLE_NUMBERS.halter] }),
      client.readContract({ ...core, functionName: 'defaultCap' }),
      client.readContract({ ...core, functionName: 'TRADING_CUTOFF' }),
      client.readContract({ ...core, functionName: 'DISPUTE_WINDOW' }),
      client.readContract({ ...core, functionName: 'conditionalTokens' }),
    ])
  return {
    time: Number(timestamp),
    owner,
    guardian,
    signer,
    registrar: orNull(registrar),
    halter: orNull(halter),
    defaultCap: usd6(defaultCap),
    notices: NOTICES,
    tradingCutoff: Number(tradingCutoff),
    disputeWindow: Number(disputeWindow),
    conditionalTokens: orNull(conditionalTokens),
  }
}

/** A series as the chain has it. Times in Unix seconds. */
export type SeriesOnChain = {
  seriesId: SeriesId
  expiry: number
  isHalted: boolean
  /** Null while it has no price; final from `finalAt` on. */
  resolutionBps: ResolutionBps | null
  finalAt: number
  /** Whether a price was vetoed, after which no signed price counts. */
  isVetoed: boolean
  openInterest: Contracts
  /** Price that the owner proposed and can execute from `executableAt` to `lapsesAt`; null where it proposed none. */
  proposal: { resolutionBps: ResolutionBps; executableAt: number; lapsesAt: number } | null
  /** Time from which the owner may propose a price. */
  proposableAt: number
  /** Whether a price that the owner proposed was vetoed, which happens once. */
  isProposalVetoed: boolean
  /** Time from which the market's own payout counts. */
  lastResortAt: number
}

/** Reads series from the chain. Rejects with `series_not_registered` for an unknown id. */
export async function readSeriesOnChain(
  chain: Pick<ChainSetup, 'coreAddress' | 'transport'>,
  seriesIds: readonly SeriesId[],
): Promise<SeriesOnChain[]> {
  const client = readerOf(chain)
  const core = { address: chain.coreAddress, abi: serviceCoreAbi } as const
  return Promise.all(
    seriesIds.map(async (seriesId) => {
      const args = [BigInt(seriesId)] as const
      const [series, proposal, lastResortAt] = await Promise.all([
        client.readContract({ ...core, functionName: 'getSeries', args }),
        client.readContract({ ...core, functionName: 'manualProposalOf', args }),
        client.readContract({ ...core, functionName: 'lastResortAt', args }),
      ])
      const { expiry, halted, settled, resolutionBps, finalAt, vetoed, openInterest } = series
      const executableAt = Number(proposal.executableAt)
      return {
        seriesId,
        expiry: Number(expiry),
        isHalted: halted,
        resolutionBps: settled ? (resolutionBps as ResolutionBps) : null,
        finalAt: Number(finalAt),
        isVetoed: vetoed,
        openInterest: contracts(openInterest),
        proposal:
          executableAt === 0
            ? null
            : {
                resolutionBps: proposal.resolutionBps as ResolutionBps,
                executableAt,
                lapsesAt: executableAt + PRICE_GRACE,
              },
        proposableAt: Number(proposal.proposableAt),
        isProposalVetoed: proposal.vetoed,
        lastResortAt: Number(lastResortAt),
      }
    }),
  )
}

function readerOf({ transport }: Pick<ChainSetup, 'transport'>): PublicClient {
  if (transport === undefined) throw new ClientSetupError('The chain was set up without a transport.')
  return createPublicClient({ transport })
}

const orNull = (address: Address): Address | null => (address === zeroAddress ? null : address)
