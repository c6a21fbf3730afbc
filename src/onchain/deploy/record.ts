import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import type { PublicClient } from 'viem'
import { type Blueprint, differences } from './blueprint.ts'
import { deploymentOf, type Planned, pairOf } from './creation.ts'
import type { Work } from './plan.ts'

/** Recorded before it is sent. Fees are wei, as text. */
export type SentWork = { nonce: number; work: Work; hash: Hex; maxFeePerGas: string; maxPriorityFeePerGas: string }

/** State that a deployment needs after a crash. Contains no key. Keyed by chain id and core. */
export type DeploymentRecord = {
  version: 3
  /** Distinguishes chains of one id, such as every fresh Anvil. */
  genesis: Hex
  blueprint: Blueprint
  /** Number of this deployer's deployments before, on this chain. */
  salt: number
  /** Present or future addresses: a later version, whose code is another, cannot compute them. */
  deployment: Planned
  /** The block before the first transaction: events are searched from here. */
  startBlock: number
  sent: readonly SentWork[]
}

/**
 * The record to build from: the one that `load` has of the deployer's last deployment on this chain, with the same
 * blueprint; else a new one, which adopts what is there. With `again` another deployment begins, at other addresses.
 */
export async function openRecord(
  client: PublicClient,
  input: { blueprint: Blueprint; load: (coreAddress: Address) => DeploymentRecord | null; again: boolean },
): Promise<DeploymentRecord> {
  const { blueprint, load, again } = input
  const { hash: genesis } = await client.getBlock({ blockNumber: 0n })
  const next = await firstFree(client, blueprint.deployer)
  const kept = (salt: number): DeploymentRecord | null => {
    const record = load(pairOf(blueprint.deployer, salt).coreAddress)
    return record?.genesis === genesis ? record : null
  }
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const fresh = (salt: number, startBlock: number): DeploymentRecord => ({
    version: 3,
    genesis,
    blueprint,
    salt,
    deployment: deploymentOf({ blueprint, salt }),
    startBlock,
    sent: [],
  })
  if (again) return fresh(next, Number(head))
  const begun = kept(next) ?? (next === 0 ? null : kept(next - 1))
  if (begun !== null) {
    const changes = differences(begun.blueprint, blueprint)
    if (changes.length > 0)
      throw new DeploymentError('different', 'a deployment with other choices was already started', changes)
    return begun
  }
  // The beginning of an adopted deployment is unknown.
  return next === 0 ? fresh(0, Number(head)) : fresh(next - 1, 0)
}

/** The first number at which the deployer has no core yet. Only the deployer can have one created there. */
async function firstFree(client: PublicClient, deployer: Address): Promise<number> {
  for (let salt = 0; ; salt++) {
    if ((await client.getCode({ address: pairOf(deployer, salt).coreAddress })) === undefined) return salt
  }
}

export type DeploymentFault = 'busy' | 'different' | 'unmined' | 'reverted'

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
