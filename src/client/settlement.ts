import { serviceCoreAbi, serviceRfqSettlementAbi } from '@rfqctl/protocol/contracts/abi'
import type { PreparedSettlement } from '@rfqctl/protocol/domain/attestation'
import { normalPackage } from '@rfqctl/protocol/domain/option'
import type { Position } from '@rfqctl/protocol/domain/position'
import { type PackageTerms, type SeriesId, seriesIdOf } from '@rfqctl/protocol/domain/series'
import { type Address, type Contracts, contracts, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { parseEventLogs, type TransactionReceipt } from 'viem'
import { abiOf, type ContractCall, createContractCalls } from './contract-calls.ts'
import { ContractRefusedError } from './errors.ts'
import type { CallOptions } from './http.ts'
import type { Wallet } from './wallet.ts'

/** Relays a signed resolution to the core, which checks it; anyone may, once per series. */
export function settleWithAttestation(
  wallet: Wallet,
  input: { prepared: Pick<PreparedSettlement, 'attestation' | 'signature'>; signal?: AbortSignal | undefined },
): Promise<TransactionReceipt> {
  const { prepared, signal } = input
  const { attestation, signature } = prepared
  const { seriesId, resolutionBps, validUntil } = attestation
  return wallet.write(
    {
      address: wallet.setup.coreAddress,
      abi: serviceCoreAbi,
      functionName: 'settleWithAttestation',
      args: [BigInt(seriesId), resolutionBps, BigInt(validUntil), signature],
    },
    signal,
  )
}

/** Result of a claim on the chain. */
export type Claim = {
  receipt: TransactionReceipt
  /** The options that it ended. */
  amount: Contracts
  /** Amount paid, micro-dollars. */
  paid: Usd6
}

/** Bytes of call data in one call to the node: about a hundred reads, with the code of the contract that bundles them. */
const BATCH_BYTES = 8_192

/** Non-empty positions of a wallet in some series; as of a block, or now. */
export async function readPositions(
  wallet: Wallet,
  seriesIds: readonly SeriesId[],
  blockNumber?: bigint,
): Promise<Position[]> {
  const core = { address: wallet.setup.coreAddress, abi: serviceCoreAbi } as const
  const amounts = await wallet.publicClient.multicall({
    contracts: seriesIds.flatMap(
      (seriesId) =>
        [
          { ...core, functionName: 'balanceOf', args: [wallet.address, BigInt(seriesId)] },
          { ...core, functionName: 'shortOf', args: [BigInt(seriesId), wallet.address] },
        ] as const,
    ),
    allowFailure: false,
    deployless: true,
    batchSize: BATCH_BYTES,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  })
  return seriesIds
    .map((seriesId, i) => ({
      seriesId,
      long: contracts(amounts[2 * i] ?? 0n),
      short: contracts(amounts[2 * i + 1] ?? 0n),
    }))
    .filter(({ long, short }) => long > 0n || short > 0n)
}

/** Whether fills may move options that a wallet holds: the client's own wallet unless another is named. */
export const isInventoryApproved = (
  { publicClient, setup, address }: Pick<Wallet, 'publicClient' | 'setup' | 'address'>,
  owner = address,
): Promise<boolean> =>
  publicClient.readContract({
    address: setup.coreAddress,
    abi: serviceCoreAbi,
    functionName: 'isApprovedForAll',
    args: [owner, setup.settlementAddress],
  })

/**
 * Last second in which orders that a key signs for a wallet can be filled, Unix seconds of chain time; null where the key has no
 * authorisation, or it has lapsed.
 */
export async function readSignerUntil(
  { publicClient, setup, address }: Pick<Wallet, 'publicClient' | 'setup' | 'address'>,
  signer: Address,
): Promise<number | null> {
  const [until, { timestamp }] = await Promise.all([
    publicClient.readContract({
      address: setup.settlementAddress,
      abi: serviceRfqSettlementAbi,
      functionName: 'signerUntil',
      args: [address, signer],
    }),
    publicClient.getBlock({ blockTag: 'latest' }),
  ])
  return until < timestamp || until === 0n ? null : Number(until)
}

type Leaving = { seriesId: SeriesId; amount?: Contracts; to?: Address; signal?: AbortSignal | undefined }

/** Claims the payout of a holder's options, all of them unless an amount is given; null when there are none. */
export async function claimHolderPayout(
  wallet: Wallet,
  { seriesId, amount, to = wallet.address, signal }: Leaving,
): Promise<Claim | null> {
  const [position] = await readPositions(wallet, [seriesId])
  const claimed = contracts(amount ?? position?.long ?? 0n)
  if (claimed === 0n) return null
  const call = createContractCalls(wallet.setup).claimHolderPayout({ seriesId, amount: claimed, to })
  const receipt = await sendContractCall(wallet, call, signal)
  const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: 'HolderPayoutClaimed', logs: receipt.logs })
  return { receipt, amount: claimed, paid: usd6(log?.args.payout ?? 0n) }
}

/** Claims a writer's collateral that is left after its options paid; null when it has written none. */
export async function claimWriterCollateral(
  wallet: Wallet,
  { seriesId, to = wallet.address, signal }: Omit<Leaving, 'amount'>,
): Promise<Claim | null> {
  const [position] = await readPositions(wallet, [seriesId])
  if (position === undefined || position.short === 0n) return null
  const receipt = await sendContractCall(
    wallet,
    createContractCalls(wallet.setup).claimWriterCollateral({ seriesId, to }),
    signal,
  )
  const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: 'WriterCollateralClaimed', logs: receipt.logs })
  return { receipt, amount: contracts(log?.args.amount ?? 0n), paid: usd6(log?.args.collateral ?? 0n) }
}

/** Options of a position that are both held and written, and can be closed. */
export const matchedOf = ({ long, short }: Pick<Position, 'long' | 'short'>): Contracts => (long < short ? long : short)

/**
 * Closes options that a wallet holds against options it has written, as many as there are of both unless an amount is given; null when
 * there are none.
 */
export async function closePosition(
  wallet: Wallet,
  { seriesId, amount, to = wallet.address, signal }: Leaving,
): Promise<Claim | null> {
  const [position] = await readPositions(wallet, [seriesId])
  const closed = amount ?? (position === undefined ? contracts(0n) : matchedOf(position))
  if (closed === 0n) return null
  const call = createContractCalls(wallet.setup).closePosition({ seriesId, amount: closed, to })
  const receipt = await sendContractCall(wallet, call, signal)
  const [log] = parseEventLogs({ abi: serviceCoreAbi, eventName: 'PositionClosed', logs: receipt.logs })
  return { receipt, amount: closed, paid: usd6(log?.args.collateral ?? 0n) }
}

/** Registers a package; no receipt where it is registered already. */
export async function registerPackage(
  wallet: Wallet,
  { terms, signal }: { terms: PackageTerms } & CallOptions,
): Promise<{ seriesId: SeriesId; receipt: TransactionReceipt | null }> {
  const normal = { ...terms, ...normalPackage(terms.legs) }
  const seriesId = seriesIdOf(normal)
  const call = createContractCalls(wallet.setup).createPackage({ terms: normal })
  const receipt = await sendContractCall(wallet, call, signal).catch((fault: unknown) => {
    if (fault instanceof ContractRefusedError && fault.code === 'series_exists') return null
    throw fault
  })
  return { seriesId, receipt }
}

/** Tries a call, sends it and waits until it is mined. */
export function sendContractCall(
  wallet: Wallet,
  call: ContractCall,
  signal?: AbortSignal | undefined,
): Promise<TransactionReceipt> {
  const { to: address, functionName, args } = call
  return wallet.write({ address, abi: abiOf(call), functionName, args }, signal)
}
