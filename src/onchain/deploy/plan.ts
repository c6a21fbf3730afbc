import type { Address } from '@rfqctl/protocol/domain/units'
import { addressAt, type Blueprint } from './blueprint.ts'
import type { Deployment } from './inspect.ts'

export type Site = {
  nonce: number
  /** Transactions sent and not mined yet. */
  waiting: number
  stablecoin: Address | null
  core: { address: Address; nonce: number; stablecoin: Address } | null
  settlement: Address | null
}

export type Work = 'stablecoin' | 'core' | 'settlement'

/** `stuck`: this deployment cannot be finished; `reason` is a sentence. */
export type Step = { kind: 'work'; work: Work; nonce: number } | { kind: 'done' } | { kind: 'stuck'; reason: string }

/**
 * The next step towards a blueprint. A contract's address follows from the deployer's nonce, so each step is bound to one:
 * sent again it replaces itself, and nothing is created twice. Core and settlement name each other forever, so the
 * settlement must be the very next transaction after the core.
 */
export function nextStep(blueprint: Blueprint, site: Site): Step {
  const { deployer } = blueprint
  const { nonce, stablecoin, core, settlement } = site
  if (core === null) return { kind: 'work', work: stablecoin === null ? 'stablecoin' : 'core', nonce }
  if (stablecoin !== core.stablecoin) {
    return {
      kind: 'stuck',
      reason: `the core ${core.address} of this deployer is for the stablecoin ${core.stablecoin}`,
    }
  }
  if (settlement === null && nonce > core.nonce + 1) {
    const lost = addressAt(deployer, core.nonce + 1)
    return {
      kind: 'stuck',
      reason: `the core ${core.address} waits for a settlement contract at ${lost}, but transaction ${core.nonce + 1} of the deployer was something else`,
    }
  }
  return settlement === null ? { kind: 'work', work: 'settlement', nonce } : { kind: 'done' }
}

/** In order; empty if the work is done or cannot be. */
export function remainingWork(blueprint: Blueprint, site: Site): Work[] {
  const step = nextStep(blueprint, site)
  if (step.kind !== 'work') return []
  const order: readonly Work[] = ['stablecoin', 'core', 'settlement']
  return order.slice(order.indexOf(step.work))
}

/** Present or future addresses of the contracts. */
export function predict({ deployer }: Blueprint, { nonce, stablecoin, core }: Site): Deployment {
  const coreNonce = core?.nonce ?? nonce + (stablecoin === null ? 1 : 0)
  return {
    stablecoinAddress: stablecoin ?? addressAt(deployer, nonce),
    coreAddress: addressAt(deployer, coreNonce),
    settlementAddress: addressAt(deployer, coreNonce + 1),
  }
}
