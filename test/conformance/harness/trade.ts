import type { Wallet } from 'ethers'
import type { Answer } from '../../kit/http.ts'
import type { MakerSocket } from '../../kit/socket.ts'
import type { Accepted, Maker } from './maker.ts'
import type { Committed, Created, Service } from './service.ts'

/** A committed trade and everybody in it. */
export type Trade = {
  created: Created
  taker: Wallet
  maker: Maker
  socket: MakerSocket
  quoteId: string
  accepted: Accepted
  signature: string
  confirmed: Answer
  committed: Answer<Committed>
}

/** Lives a request from opening to the signed order, with one maker. */
export async function trade(
  service: Service,
  {
    request = {},
    quote = {},
    commit = {},
  }: { request?: Record<string, unknown>; quote?: Record<string, unknown>; commit?: Record<string, unknown> } = {},
): Promise<Trade> {
  const maker = await service.maker()
  const taker = service.wallet()
  const socket = await maker.connect()
  const created = await service.open(request)
  const quoteId = await maker.quoted(created.requestId, quote)
  const committing = taken(service.commit(created.requestId, { wallet: taker.address, ...commit }))
  const asked = askedToSign(socket, created.requestId)
  // A maker that is never asked is told of by the refusal, and not by the end of the patience for its message.
  await Promise.race([asked, committing])
  const accepted = await asked
  const signature = await maker.sign(accepted)
  const confirmed = await taken(maker.confirm(quoteId, signature))
  return { created, taker, maker, socket, quoteId, accepted, signature, confirmed, committed: await committing }
}

/** An answer that the rest of a test stands on; fails with the refusal in its place. */
async function taken<One extends Answer<unknown>>(answering: Promise<One>): Promise<One> {
  const answer = await answering
  if (answer.status !== 200) throw new Error(`the trade was refused: ${answer.status} ${answer.text}`)
  return answer
}

/** Waits until a maker is asked to sign for a request. */
export const askedToSign = async (socket: MakerSocket, requestId: string): Promise<Accepted> =>
  (await socket.until('quote:accepted', requestId)) as Accepted
