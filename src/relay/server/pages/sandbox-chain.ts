import type { RpcCall, RpcOutcome } from '@rfqctl/protocol/wire/sandbox'

/** The chain of a sandbox, which belongs to whoever plays in it. Both fail with `chain_unavailable`. */
export type SandboxChain = {
  /** Has the node make calls, and tells how each ended, in their order; what it answers is bounded. */
  call: (calls: readonly RpcCall[]) => Promise<readonly RpcOutcome[]>
  /** Moves chain time forward by whole seconds; returns the new time, Unix seconds. */
  warp: (seconds: number) => Promise<number>
}
