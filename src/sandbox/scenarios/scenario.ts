import type { ChainSetup } from '@rfqctl/client/index'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'

/** Who hears what happens in a scenario. */
export type Reporter = {
  /** Opens a part of the story. */
  chapter: (title: string) => void
  /** Something that happened: its facts for programs, a sentence for people. */
  event: (type: string, facts: Record<string, unknown>, sentence: string) => void
  /** Leaves time to read what was told; ends with an `AbortError` when everything is told to end. */
  pause: () => Promise<void>
}

/** Where a scenario happens: a relay with its chain, the wallets on it, and who hears of it. */
export type ScenarioContext = {
  url: string
  /** The contracts that makers and takers sign for. */
  chain: ChainSetup
  makers: readonly SandboxWallet[]
  reporter: Reporter
  /** Ends the scenario and everyone in it. */
  signal: AbortSignal
}
