import { createHash } from 'node:crypto'
import type { Sandbox, SandboxWallet } from '../../app/sandbox-file.ts'
import { type ConnectionState, createOperatorClient, RelayError, RelayUnreachableError } from '../../client/index.ts'

/**
 * The makers of a sandbox that no one plays: those with a key that are not connected. Two programs of one maker would take
 * each other's quotes for orders that are not theirs. Where the relay does not say who is connected, all of them.
 */
export async function freeMakers(
  sandbox: Pick<Sandbox, 'makers'>,
  { url, token, signal }: { url: string; token: string | null; signal: AbortSignal },
): Promise<SandboxWallet[]> {
  const connected = token === null ? new Set<string>() : await connectedMakers(url, token, signal)
  return sandbox.makers.filter((maker) => {
    const ids = idsOf(maker)
    return ids.length > 0 && !ids.some((id) => connected.has(id))
  })
}

/** The makers that have a connection, by the names that the relay knows them by. */
async function connectedMakers(url: string, token: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const connected = new Set<string>()
  try {
    for await (const event of createOperatorClient({ url, token }).watchEvents({
      signal,
      onConnectionState: throwIfLost,
    })) {
      if (event.kind === 'snapshot_complete') break
      if (event.kind === 'maker' && event.maker.streams + event.maker.sockets > 0) connected.add(event.maker.makerId)
    }
  } catch (error) {
    if (!(error instanceof RelayError || error instanceof RelayUnreachableError)) throw error
  }
  return connected
}

/** The names that a maker of the sandbox may go by: its own, or in open mode one made of its key (decision M5). */
const idsOf = ({ name, apiKey }: SandboxWallet): string[] =>
  apiKey == null ? [] : [name, `anon-${createHash('sha256').update(apiKey).digest('hex').slice(0, 8)}`]

/** One look is enough: a relay that is lost is not waited for. */
function throwIfLost(state: ConnectionState): void {
  if (state.kind === 'lost') throw state.error
}
