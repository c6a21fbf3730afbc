import type { RpcCall, RpcOutcome } from '@rfqctl/protocol/wire/sandbox'

/** Anyone who uses the sandbox may call it. Both methods fail with `chain_unavailable`. */
export type SandboxChain = {
  /** Outcomes are in the order of the calls; the node's answer is bounded. */
  call: (calls: readonly RpcCall[]) => Promise<readonly RpcOutcome[]>
  /** Moves chain time forward by whole seconds; returns the new time, Unix seconds. */
  warp: (seconds: number) => Promise<number>
}
