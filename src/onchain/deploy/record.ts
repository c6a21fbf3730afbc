import type { Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import { type Blueprint, differences } from './blueprint.ts'
import type { Work } from './plan.ts'
import { surveySite } from './survey.ts'

/** Recorded before it is sent. Fees are wei, as text. */
export type SentWork = { nonce: number; work: Work; hash: Hex; maxFeePerGas: string; maxPriorityFeePerGas: string }

/** State that a deployment needs after a crash. Contains no key. Keyed by chain id and deployer. */
export type DeploymentRecord = {
  version: 2
  /** Distinguishes chains of one id, such as every fresh Anvil. */
  genesis: Hex
  blueprint: Blueprint
  /** The deployer's first transaction that can belong to it. */
  fromNonce: number
  /** The block before the first transaction: events are searched from here. */
  startBlock: number
  sent: readonly SentWork[]
}

/** Without a record, this many of a deployer's last transactions are searched for contracts. */
const SEARCHED_TRANSACTIONS = 256

/**
 * The record to build from: the former one if it is of this chain and the same blueprint; else a new one that adopts
 * the deployer's recent contracts. With `again` those are ignored and a second deployment begins.
 */
export async function openRecord(
  client: PublicClient,
  { blueprint, former, again }: { blueprint: Blueprint; former: DeploymentRecord | null; again: boolean },
): Promise<DeploymentRecord> {
  const { hash: genesis } = await client.getBlock({ blockNumber: 0n })
  if (former !== null && former.genesis === genesis && !again) {
    const changes = differences(former.blueprint, blueprint)
    if (changes.length > 0)
      throw new DeploymentError('different', 'a deployment with other choices was already started', changes)
    return former
  }
  const [head, nonce] = await Promise.all([
    client.getBlockNumber({ cacheTime: 0 }),
    client.getTransactionCount({ address: blueprint.deployer, blockTag: 'latest' }),
  ])
  const fresh = { version: 2, genesis, blueprint, fromNonce: nonce, startBlock: Number(head), sent: [] } as const
  if (again) return fresh
  const fromNonce = Math.max(0, nonce - SEARCHED_TRANSACTIONS)
  const { core, stablecoin } = await surveySite(client, { blueprint, fromNonce })
  const isBegun = core !== null || (blueprint.stablecoin.kind === 'test' && stablecoin !== null)
  // The beginning of an adopted deployment is unknown.
  return isBegun ? { ...fresh, fromNonce, startBlock: 0 } : fresh
}

export type DeploymentFault = 'busy' | 'different' | 'stuck' | 'unmined' | 'reverted'

export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
  readonly fault: DeploymentFault
  readonly why: readonly string[]

  constructor(fault: DeploymentFault, message: string, why: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.why = why
  }
}
