import type { Context } from './context.ts'
import type { MakerMessage } from './ports/bus.ts'
import type { Stop } from './ports/clock.ts'

/**
 * A maker's post-trade messages on one connection. An order that waits for its signature comes first, with the deadline
 * it always had, so that a maker that reconnects can still sign (ruling C5).
 */
export async function openMakerChannel(
  { bus, presence, store }: Context,
  {
    makerId,
    connectionId,
    onMessage,
  }: { makerId: string; connectionId: string; onMessage: (message: MakerMessage) => void },
): Promise<Stop> {
  const sent = new Set<string>()
  const deliver = (message: MakerMessage) => {
    if (message.kind === 'accepted') {
      if (sent.has(message.acceptance.acceptanceId)) return
      sent.add(message.acceptance.acceptanceId)
    }
    onMessage(message)
  }
  const unsubscribe = bus.subscribe('maker', makerId, deliver)
  const leave = presence.join('socket', makerId, connectionId)
  const stop = () => {
    leave()
    unsubscribe()
  }
  try {
    for (const acceptance of await store.acceptances.pending({ makerId })) deliver({ kind: 'accepted', acceptance })
  } catch (fault) {
    stop()
    throw fault
  }
  return stop
}
