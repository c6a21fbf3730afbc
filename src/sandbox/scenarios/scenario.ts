import type { ChainSetup } from '@rfqctl/client/index'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'

export type Reporter = {
  chapter: (title: string) => void
  /** `facts` are for programs, `sentence` is for people. */
  event: (type: string, facts: Record<string, unknown>, sentence: string) => void
  /** Leaves time to read; ends with an `AbortError` when the command is stopped. */
  pause: () => Promise<void>
}

export type ScenarioContext = {
  url: string
  chain: ChainSetup
  makers: readonly SandboxWallet[]
  reporter: Reporter
  signal: AbortSignal
}
