import type { Accepted, Maker } from '../../kit/maker.ts'
import type { MakerSocket } from '../../kit/socket.ts'

/** A maker at its socket, that signs all it is asked to. */
export type Signer = {
  /** What it was asked to sign, oldest first. */
  asked: readonly Accepted[]
  gone: Promise<unknown>
  close: () => void
}

/** Lets a maker sign from now on, until it is closed. `answer`: what it does in place of confirming. */
export async function startSigner(
  maker: Maker,
  answer: (accepted: Accepted) => Promise<unknown> = async (accepted) =>
    maker.confirm(accepted.quoteId, await maker.sign(accepted)),
): Promise<Signer> {
  const socket: MakerSocket = await maker.connect()
  const asked: Accepted[] = []
  socket.socket.on('message', (data) => {
    const message = JSON.parse(data.toString())
    if (message.type !== 'quote:accepted') return
    asked.push(message)
    // A relay that is gone is found out by who committed.
    answer(message).catch(() => {})
  })
  return { asked, gone: socket.closed, close: socket.close }
}
