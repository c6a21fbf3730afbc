import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { transportOf } from '../../client/from-text.ts'
import type { Address, ChainSetup } from '../../client/index.ts'

/** Where the demo plays: a running relay with its own chain, and the wallets on it. */
export type Stage = {
  url: string
  wsUrl: string
  rpcUrl: string
  chainId: number
  settlementAddress: Address
  coreAddress: Address
  stablecoinAddress: Address
  makers: readonly SandboxWallet[]
  takers: readonly SandboxWallet[]
  /** The YES price of a token, in dollars, at a time in Unix milliseconds. */
  spot: (yesTokenId: string, nowMs: number) => Promise<number>
  /** Moves chain time forward by whole seconds; returns the new time, Unix seconds. */
  warp: (seconds: number) => Promise<number>
  chainTime: () => Promise<number>
  stop: () => Promise<void>
}

/** Quick enough for a chain on this machine, where a transaction is mined in milliseconds. */
const POLLING_INTERVAL_MS = 20

/** The chain of a stage, as a client wants it. */
export const chainOf = ({ rpcUrl, chainId, settlementAddress, coreAddress }: Stage): ChainSetup => ({
  chainId,
  settlementAddress,
  coreAddress,
  transport: transportOf(rpcUrl),
  pollingIntervalMs: POLLING_INTERVAL_MS,
})
