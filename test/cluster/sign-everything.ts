import type { MakerSocket } from '../kit/socket.ts'
import type { Node } from './node.ts'

/** Longer than any test. */
const FOR_EVER_MS = 3_600_000

/**
 * A maker that listens on one node and signs whatever it is asked to, from now until its socket is closed. It confirms on
 * the nodes in turn, and on the next one where that fails.
 */
export async function signEverything(name: string, nodes: readonly (() => Node)[]): Promise<MakerSocket> {
  const at = (n: number) => (nodes[n % nodes.length] as () => Node)().maker(name)
  const socket = await at(0).connect()
  async function sign(): Promise<void> {
    for (let n = 0; ; n += 1) {
      const accepted = await socket.messages.until(({ type }) => type === 'quote:accepted', FOR_EVER_MS)
      const signature = await at(0).sign(accepted)
      await at(n)
        .confirm(accepted.quoteId, signature)
        .catch(() => at(n + 1).confirm(accepted.quoteId, signature))
        // All nodes are gone when all is over.
        .catch(() => {})
    }
  }
  // A socket that has closed asks for nothing more.
  void sign().catch(() => {})
  return socket
}
