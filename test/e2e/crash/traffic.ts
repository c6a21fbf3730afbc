import type { Accepted, Maker } from '../../kit/maker.ts'
import type { Service } from '../../kit/service.ts'
import type { Promises } from './promises.ts'

/** One relay with everybody who trades on it. */
export type Scene = {
  service: Service
  /** Signs whatever it is asked to. */
  quick: Maker
  /** Is always dearer, and so never asked. */
  dear: Maker
  /** Never signs while the relay lives. */
  patient: Maker
  accountHeaders: Record<string, string>
}

/** What waits for a signature when the relay is killed, and the quote that lost to it. */
export type Pending = { requestId: string; wallet: string; accepted: Accepted; loser: string }

/** Takers that trade at the same time. */
const TAKERS = 3

/** Trades, makes keys and revokes them, until the relay does not answer any more. What it has answered is kept in mind. */
export async function runTraffic({ service, quick, dear, accountHeaders }: Scene, promises: Promises): Promise<void> {
  const stream = await quick.stream()
  const socket = await quick.connect()
  const signing = (async () => {
    for (;;) {
      const accepted = await socket.until('quote:accepted')
      const quoteId = String(accepted.quoteId)
      const signature = await quick.sign(accepted)
      if ((await quick.confirm(quoteId, signature)).status !== 200) continue
      promises.confirmed.push({ quoteId, signature })
      promises.made()
    }
  })()
  const watching = (async () => {
    for (;;) promises.highestId = Math.max(promises.highestId, Number((await stream.events.next()).id))
  })()
  const work = [signing, watching, keepKeys(service, accountHeaders, promises)]
  for (let taker = 0; taker < TAKERS; taker += 1) work.push(trade(service, { quick, dear }, promises))
  await Promise.allSettled(work)
}

/** Asks the patient maker to sign, which it does not. */
export async function leavePending({
  service,
  patient,
  dear,
}: Pick<Scene, 'service' | 'patient' | 'dear'>): Promise<Pending> {
  const socket = await patient.connect()
  const { requestId } = await service.open()
  const loser = await dear.quoted(requestId, { price: 0.2 })
  await patient.quoted(requestId)
  const wallet = service.wallet().address
  service.commit(requestId, { wallet }).catch(() => {})
  return { requestId, wallet, accepted: (await socket.until('quote:accepted', requestId)) as Accepted, loser }
}

type Quoting = Pick<Scene, 'quick' | 'dear'>

async function trade(service: Service, makers: Quoting, promises: Promises): Promise<never> {
  for (let round = 0; ; round += 1) {
    const { requestId, takerSecret } = await service.open()
    promises.opened.add(requestId)
    promises.made()
    if (round % 4 === 3) await cancel(service, { requestId, takerSecret }, promises)
    else await commit(service, { requestId, ...makers }, promises)
  }
}

async function cancel(
  service: Service,
  { requestId, takerSecret }: { requestId: string; takerSecret: string },
  promises: Promises,
): Promise<void> {
  const { status } = await service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
  if (status !== 200) return
  promises.cancelled.add(requestId)
  promises.made()
}

async function commit(
  service: Service,
  { requestId, quick, dear }: Quoting & { requestId: string },
  promises: Promises,
): Promise<void> {
  const loser = await dear.quoted(requestId, { price: 0.2 })
  await quick.quoted(requestId)
  const wallet = service.wallet().address
  const { status, text } = await service.commit(requestId, { wallet })
  if (status !== 200) return
  promises.committed.set(requestId, { wallet, text, loser })
  promises.made()
}

async function keepKeys(service: Service, headers: Record<string, string>, promises: Promises): Promise<never> {
  for (let round = 0; ; round += 1) {
    const { body } = await service.call<{ key: string; apiKey: { id: string } }>('POST', '/v1/user/api-keys', {
      headers,
    })
    const key = { secret: body.key, isRevoked: false }
    promises.keys.push(key)
    promises.made()
    if (round % 2 === 0) continue
    // Until it is answered nobody knows whether the key is revoked.
    promises.keys.pop()
    await service.call('DELETE', `/v1/user/api-keys/${body.apiKey.id}`, { headers })
    promises.keys.push({ ...key, isRevoked: true })
    promises.made()
  }
}
