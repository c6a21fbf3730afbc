import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import type { SeriesId } from '@rfqctl/protocol/domain/series'
import { type Address, type Contracts, contracts, type ResolutionBps } from '@rfqctl/protocol/domain/units'
import { createPublicClient, type PublicClient, zeroAddress } from 'viem'
import { ClientSetupError } from './errors.ts'
import type { ChainSetup } from './wallet.ts'

/** Role of the core that passes by a proposal. */
export type Role = 'owner' | 'guardian' | 'signer'

/** Numbers of the roles in the contract. */
export const ROLE_NUMBERS: Readonly<Record<Role, number>> = { owner: 0, guardian: 1, signer: 2 }

const REGISTRAR = 3

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
  /** Later series have at most 2^capExponent options open; 0: no cap. */
  capExponent: number
  /** Seconds before a proposed `role` can be taken, and before the owner's own `price` counts. */
  notices: Readonly<Record<'role' | 'price', number>>
  /** Seconds after an expiry in which only the signer can resolve. */
  manualAfter: number
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
  const [owner, guardian, signer, registrar, capExponent, role, price, manualAfter, disputeWindow, conditionalTokens] =
    await Promise.all([
      readRole('owner'),
      readRole('guardian'),
      readRole('signer'),
      client.readContract({ ...core, functionName: 'holderOf', args: [REGISTRAR] }),
      client.readContract({ ...core, functionName: 'capExponent' }),
      client.readContract({ ...core, functionName: 'ROLE_DELAY' }),
      client.readContract({ ...core, functionName: 'MANUAL_NOTICE' }),
      client.readContract({ ...core, functionName: 'MANUAL_AFTER_EXPIRY' }),
      client.readContract({ ...core, functionName: 'DISPUTE_WINDOW' }),
      client.readContract({ ...core, functionName: 'conditionalTokens' }),
    ])
  return {
    time: Number(timestamp),
    owner,
    guardian,
    signer,
    registrar: orNull(registrar),
    capExponent,
    notices: { role: Number(role), price: Number(price) },
    manualAfter: Number(manualAfter),
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
  const grace = Number(await client.readContract({ ...core, functionName: 'MANUAL_GRACE' }))
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
                lapsesAt: executableAt + grace,
              },
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
