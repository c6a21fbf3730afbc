import { type PublicClient, parseAbi } from 'viem'
import type { Blueprint } from './blueprint.ts'
import type { Work } from './plan.ts'
import { hasProxy, PROXY } from './proxy.ts'

/** Most gas per step: measured on Anvil, plus a tenth. */
export const WORK_GAS: Readonly<Record<Work, bigint>> = {
  stablecoin: 1_560_000n,
  factory: 450_000n,
  pair: 9_900_000n,
}

/** Runs TSTORE, TLOAD and MCOPY once each: the contracts need these of the chain beyond older rules (Cancun). */
const CANCUN_PROBE = '0x5f5f5d5f5c505f5f5f5e00'

/** `cost` is the most that the work may cost; it and the deployer's `balance` are wei of the chain's coin. */
export type Budget = { gas: bigint; cost: bigint; balance: bigint }

export async function readBudget(
  client: PublicClient,
  { blueprint, work }: { blueprint: Blueprint; work: readonly Work[] },
): Promise<Budget> {
  const [balance, { maxFeePerGas }] = await Promise.all([
    client.getBalance({ address: blueprint.deployer }),
    client.estimateFeesPerGas(),
  ])
  const gas = work.reduce((sum, each) => sum + WORK_GAS[each], 0n)
  return { gas, cost: gas * maxFeePerGas, balance }
}

/** Sentences that say why a chain cannot take a blueprint at any cost; empty if it can. */
export async function chainFaults(client: PublicClient, { stablecoin, deployer }: Blueprint): Promise<string[]> {
  const runsCancun = client.call({ account: deployer, data: CANCUN_PROBE }).then(
    () => true,
    () => false,
  )
  const [cancun, proxy, coin] = await Promise.all([
    runsCancun,
    hasProxy(client),
    stablecoin.kind === 'existing' ? stablecoinFaults(client, stablecoin.address) : [],
  ])
  return [
    ...(cancun ? [] : ['this chain does not support Cancun, which the contracts need']),
    ...(proxy ? [] : [`this chain lacks the deterministic deployment proxy ${PROXY}`]),
    ...coin,
  ]
}

const DECIMALS_ABI = parseAbi(['function decimals() view returns (uint8)'])

async function stablecoinFaults(client: PublicClient, address: Blueprint['deployer']): Promise<string[]> {
  if ((await client.getCode({ address })) === undefined) return [`there is no contract at the stablecoin ${address}`]
  const decimals = await readDecimals(client, address)
  if (decimals === 6) return []
  const told = decimals === null ? 'does not report its decimals' : `has ${decimals} decimals`
  return [`the stablecoin ${address} ${told}; it must have 6`]
}

/** Null if the token reports none. */
export const readDecimals = (client: PublicClient, address: Blueprint['deployer']): Promise<number | null> =>
  client.readContract({ address, abi: DECIMALS_ABI, functionName: 'decimals' }).catch(() => null)
