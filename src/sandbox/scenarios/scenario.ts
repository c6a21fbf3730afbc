import type { ChainSetup } from '@rfqctl/client/index'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'

/** Receives the news of a scenario. */
export type Reporter = {
  chapter: (title: string) => void
  /** `facts` are for programs, `sentence` is for people. */
  event: (type: string, facts: Record<string, unknown>, sentence: string) => void
  /** Leaves time to read; ends with an `AbortError` when the command is stopped. */
  pause: () => Promise<void>
}

/** A relay with its chain, the wallets on it, and a reporter. */
export type ScenarioContext = {
  url: string
  /** Makers and takers sign for these contracts. */
  chain: ChainSetup
  makers: readonly SandboxWallet[]
  reporter: Reporter
  /** Ends the scenario and its makers and takers. */
  signal: AbortSignal
}
