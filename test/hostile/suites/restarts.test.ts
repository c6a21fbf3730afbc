import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildWhenStale } from '../../kit/build.ts'
import { eventually } from '../../kit/eventually.ts'
import { closeAll } from '../../kit/keep.ts'
import { askedToSign, createMaker, type Maker } from '../../kit/maker.ts'
import { trade } from '../../kit/service.ts'
import { type Attacked, type Store, startAttacked, whyMissing } from '../lab/forms.ts'
import { openMany } from '../lab/steps.ts'
import { createTarget, type Target } from '../lab/target.ts'

/** How long a maker has to sign, and how long a request lives, in milliseconds: longer than a slow machine needs to start. */
const CONFIRMATION_MS = 12_000
const TTL_MS = 20_000

beforeAll(() => buildWhenStale(), 120_000)
afterAll(closeAll)

for (const store of ['file', 'postgres'] as const satisfies readonly Store[]) {
  const missing = whyMissing(store)
  const hint = missing === null ? '' : ` (skipped: ${missing})`

  /** What once got through: a relay that is killed forgets something of what it has begun. */
  describe
    .skipIf(missing !== null)
    .concurrent(`a relay with ${store} that is killed${hint}`, { timeout: 120_000 }, () => {
      const relays: Attacked[] = []

      afterAll(async () => {
        // One that was started again first: it writes to the folder of the one that was killed.
        for (const { remove } of relays.toReversed()) await remove()
      }, 60_000)

      async function start(): Promise<{ target: Target; restart: () => Promise<Target>; kill: () => Promise<void> }> {
        const env = { MAKER_CONFIRMATION_MS: String(CONFIRMATION_MS), QUOTE_REQUEST_TTL_MS: String(TTL_MS) }
        const attacked = await startAttacked({ store, flags: ['--no-chain'], env })
        relays.push(attacked)
        return {
          target: createTarget(attacked),
          kill: async () => {
            attacked.process.signal('SIGKILL')
            await attacked.process.exited
          },
          restart: async () => {
            const again = await attacked.restart()
            relays.push({ ...again, remove: async () => void (await again.process.stop()) })
            return createTarget(again)
          },
        }
      }

      const moved = (maker: Maker, { ready }: Target): Maker => createMaker(ready, maker, maker.wallet)

      /** A request whose best maker is being asked when the relay is killed. */
      async function killedWhileAsking() {
        const { target, restart, kill } = await start()
        const maker = await target.maker()
        const socket = await maker.connect()
        const [opened] = await openMany(target, 1)
        const requestId = opened?.requestId as string
        const quoteId = await maker.quoted(requestId)
        const wallet = target.service.wallet().address
        target.service.commit(requestId, { wallet }).catch(() => {})
        const accepted = await askedToSign(socket, requestId)
        await kill()
        return { restart, maker, requestId, quoteId, accepted, wallet }
      }

      it('knows that a quote is out for signature, and says so', async () => {
        const { restart, maker, requestId, accepted, quoteId, wallet } = await killedWhileAsking()
        const target = await restart()
        const again = moved(maker, target)
        const polled = await target.service.call('GET', `/quote-requests/${requestId}/quotes`)
        assert.equal(polled.body.confirming, true)
        assert.equal((await again.quote(requestId, { price: 0.3 })).status, 409)
        // And it is a good one still.
        const committing = target.service.commit(requestId, { wallet })
        assert.equal((await again.confirm(quoteId, await again.sign(accepted))).status, 200)
        assert.equal((await committing).status, 200)
      })

      it('asks no one to sign after the deadline', async () => {
        const { restart, maker, accepted } = await killedWhileAsking()
        await wait(Math.max(0, Date.parse(accepted.confirmationDeadline) - Date.now()) + 200)
        const socket = await moved(maker, await restart()).connect()
        await wait(2_500)
        assert(!socket.messages.all().some(({ type }) => type === 'quote:accepted'))
      })

      it('shows no request as open that is over', async () => {
        const { target, restart, kill } = await start()
        const maker = await target.maker()
        const [opened] = await openMany(target, 1)
        await kill()
        await wait(Math.max(0, Date.parse(String(opened?.expiresAt)) - Date.now()) + 200)
        const stream = await moved(maker, await restart()).stream()
        await stream.until('snapshot_complete')
        const shown = stream.events.all().filter(({ event }) => event === 'quote_request')
        assert.deepEqual(shown, [])
        stream.close()
      })

      it('tells each maker how its request has ended', async () => {
        const { target, restart, kill } = await start()
        const winner = await target.maker()
        const loser = await target.maker()
        const idle = await target.maker()
        const socket = await winner.connect()
        const [opened, open] = await openMany(target, 2)
        const requestId = opened?.requestId as string
        await loser.quoted(requestId, { price: 0.3 })
        await idle.quoted(open?.requestId as string, { price: 0.3 })
        const quoteId = await winner.quoted(requestId)
        const committing = target.service.commit(requestId, { wallet: target.service.wallet().address })
        await winner.confirm(quoteId, await winner.sign(await askedToSign(socket, requestId)))
        assert.equal((await committing).status, 200)
        await kill()
        const again = await restart()
        const endings = async (maker: Maker) => {
          const { body } = await moved(maker, again).call<{ executions: unknown[] }>('GET', '/v1/mm/executions')
          return body.executions
        }
        await eventually(
          () => endings(loser),
          (list) => list.length === 1,
        )
        // A request that nobody committed to ends with its time.
        await wait(Math.max(0, Date.parse(String(open?.expiresAt)) - Date.now()))
        await eventually(
          () => endings(idle),
          (list) => list.length === 1,
        )
      })

      it('keeps every promise that it has answered', async () => {
        const { target, restart, kill } = await start()
        const done = await trade(target.service)
        const [cancelled] = await openMany(target, 1)
        const { requestId, takerSecret } = cancelled as { requestId: string; takerSecret: string }
        const answer = await target.service.call('POST', `/quote-requests/${requestId}/cancel`, {
          body: { takerSecret },
        })
        assert.equal(answer.status, 200)
        await kill()
        const again = await restart()
        const repeated = await again.service.commit(done.created.requestId, { wallet: done.taker.address })
        assert.equal(repeated.text, done.committed.text)
        assert.equal((await moved(done.maker, again).confirm(done.quoteId, done.signature)).status, 200)
        const polled = await again.service.call('GET', `/quote-requests/${requestId}/quotes`)
        assert.notEqual(polled.body.status, 'open')
      })
    })
}
