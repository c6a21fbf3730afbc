import { type Approvals, type Pair, readPair } from '@rfqctl/client/approvals'
import { transportOf } from '@rfqctl/client/from-text'
import { exactUsd } from '@rfqctl/lib/format'
import type { Address, Usd6 } from '@rfqctl/protocol/domain/units'
import { keptPairs } from '../chain/deployment/notes.ts'
import type { Cli } from '../cli.ts'
import { dataDirOf, settingValues, type TradingChain } from '../context/targets.ts'

const isSame = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()

/** Settlement contracts of former deployments: those of the setting, and those that were made from this data directory. */
export function formerSettlements(cli: Cli, options: { dataDir?: string }, chain: TradingChain): Address[] {
  const kept = keptPairs(dataDirOf(cli, options), chain.chainId).map(({ settlementAddress }) => settlementAddress)
  return [...settingValues(cli).FORMER_SETTLEMENT_ADDRESSES, ...kept]
}

/**
 * The pairs of settlement contracts, without addresses that are no such contract, and without any that names a contract
 * that is traded on now: what a wallet has approved to that is not left over.
 */
export async function pairsOf(addresses: readonly Address[], chain: TradingChain): Promise<Pair[]> {
  const transport = transportOf(chain.rpcUrl)
  const current = [chain.coreAddress, chain.settlementAddress]
  const distinct = [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()]
  const pairs = await Promise.all(distinct.map((address) => readPair(transport, address)))
  return pairs
    .filter((pair) => pair !== null)
    .filter((pair) => !current.some((own) => isSame(pair.coreAddress, own) || isSame(pair.settlementAddress, own)))
}

/** More than any stablecoin has, also once some of an unlimited approval was drawn. */
const WITHOUT_LIMIT = 2n ** 128n

const limitText = (amount: Usd6): string => (amount > WITHOUT_LIMIT ? 'without limit' : exactUsd(amount))

/** Names and sentences of what a wallet lets a pair do. */
export function approvalFacts({ core, settlement, inventory, signers }: Approvals): [name: string, value: string][] {
  return [
    ...(core > 0n ? ([['core', `draws ${limitText(core)}`]] as [string, string][]) : []),
    ...(settlement > 0n ? ([['settlement', `draws ${limitText(settlement)}`]] as [string, string][]) : []),
    ...(inventory ? ([['options', 'are sold from inventory']] as [string, string][]) : []),
    ...(signers === null || signers.length === 0
      ? []
      : ([['keys', `that sign orders: ${signers.join(', ')}`]] as [string, string][])),
  ]
}
