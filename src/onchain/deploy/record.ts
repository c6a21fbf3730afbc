import type { Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import { type Blueprint, differences } from './blueprint.ts'
import type { Work } from './plan.ts'
import { surveySite } from './survey.ts'

/** A transaction of a deployment, noted before it is sent. Its fee in wei, as text. */
export type SentWork = { nonce: number; work: Work; hash: Hex; maxFeePerGas: string; maxPriorityFeePerGas: string }

/**
 * What a deployment needs to know of itself after a crash, beside what the chain shows. It holds no key. Keyed by chain id
 * and deployer.
 */
export type DeploymentRecord = {
  version: 2
  /** Tells a chain from another one of the same id, as every fresh Anvil is. */
  genesis: Hex
  blueprint: Blueprint
  /** The first transaction of the deployer that can be a part of it. */
  fromNonce: number
  /** The block before the first of them: events are looked for from here. */
  startBlock: number
  sent: readonly SentWork[]
}

/** How far back a deployer's transactions are searched for contracts where no record says where they begin. */
const SEARCHED_TRANSACTIONS = 256

/**
 * The record to build from: the former one when it is of this chain and of the same blueprint; else a new one, which takes
 * up what the deployer has created lately. With `again` that is left alone, and a second deployment begins.
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
  // When it was begun no one knows any more.
  return isBegun ? { ...fresh, fromNonce, startBlock: 0 } : fresh
}

/** Why a deployment cannot go on now. */
export type DeploymentFault = 'busy' | 'different' | 'stuck' | 'unmined' | 'reverted'

/** A deployment that was cut off; what was done so far stands, and can be resumed. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
  readonly fault: DeploymentFault
  /** Further sentences, with figures. */
  readonly why: readonly string[]

  constructor(fault: DeploymentFault, message: string, why: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.why = why
  }
}
