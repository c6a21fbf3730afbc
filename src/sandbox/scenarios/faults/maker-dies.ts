import { type ShownQuote, toProtectionsInput, UNLIMITED, usd6 } from '@rfqctl/client/index'
import { linkAbort } from '@rfqctl/lib/abort'
import { duration, priceText } from '@rfqctl/lib/format'
import type { SandboxWallet } from '@rfqctl/relay/app/sandbox-file'
import { pickMakers } from '../traders.ts'
import { type FaultContext, type FaultScenario, withTimeout } from './fault.ts'
import { ask, awaitBest, firstQuote, startFallback } from './quote-race.ts'
import { clearMisses, makerClientOf } from './scenario-maker.ts'
import { commitToFallback } from './unsigned-orders.ts'

const GRACE_MS = 500

/** Longest time for a maker to connect, and for its quotes to go, milliseconds. */
const WAIT_MS = 10_000

/**
 * Two makers are killed while they quote best. The one that cancels on disconnect loses its quotes, so that no commit
 * asks it; the other one is awaited and passed over (invariant V11).
 */
export const makerDies: FaultScenario = {
  summary: 'two makers are killed: the quotes of the one that cancels on disconnect go, the other is waited for',
  run: async (context) => {
    const { reporter, signal } = context
    const [guarded, other] = pickMakers(context.makers, 2) as readonly [SandboxWallet, SandboxWallet]
    const [first, second] = [await connect(context, guarded), await connect(context, other)]
    const former = await first.client.getProtections({ signal })
    try {
      const cancelOnDisconnect = { graceMs: GRACE_MS, channels: 'all' as const }
      const kept = toProtectionsInput(former.protections, Date.now())
      await first.client.setProtections({ protections: { ...kept, cancelOnDisconnect }, signal })
      const words = `${first.name} has its quotes withdrawn ${duration(GRACE_MS)} after a disconnect, ${second.name} has not`
      reporter.event('protected', { maker: first.name, graceMs: GRACE_MS }, words)
      const request = await ask(context)
      if (request.makersConnected === 0) await startFallback(context, context.makers[2])
      const best = await firstQuote(context, request)
      for (const [{ name, client }, parts] of [
        [second, 3n],
        [first, 2n],
      ] as const) {
        const price = usd6((best.price * parts) / 4n)
        await client.submitQuote({ request, price, size: best.size, signal })
        reporter.event('quoted', { maker: name }, `${name} quotes ${priceText(price)}`)
      }
      await awaitBest(context, { request, makerId: first.makerId, quotes: 3 })
      for (const { name, die } of [first, second]) {
        die()
        reporter.event('killed', { maker: name }, `${name} is killed`)
      }
      const shown: ShownQuote = await awaitBest(context, { request, makerId: second.makerId, quotes: 2 })
      const gone = `the quotes of ${first.name} are withdrawn, those of ${second.name} are not`
      reporter.event('withdrawn', { maker: first.name }, gone)
      await commitToFallback(context, { request, shown, faulty: second })
    } finally {
      first.die()
      second.die()
      // The protections are their owner's.
      const protections = toProtectionsInput(former.protections, Date.now())
      const words = `the protections of ${first.name} could not be put back`
      const failed = () => reporter.event('not_restored', { maker: first.name }, words)
      await first.client.setProtections({ protections }).catch(failed)
    }
  },
}

async function connect(context: FaultContext, wallet: SandboxWallet) {
  const { name } = wallet
  const { isSimulated, signal, reporter } = context
  const client = makerClientOf(context, wallet)
  if (!isSimulated) await client.approveSpender({ spender: 'core', amount: UNLIMITED, signal })
  const life = linkAbort(signal)
  const messages = client.watchOrders({ signal: life.signal })
  const makerId = await withTimeout(WAIT_MS, { what: `${name} to be connected`, signal }, async () => {
    for (;;) {
      const { value, done } = await messages.next()
      if (done === true) throw new Error('A socket ended without an error.')
      if (value.kind === 'connected') return value.makerId
    }
  })
  context.running.push(drain(messages))
  await clearMisses(context, makerId)
  reporter.event('cast', { maker: name, makerId }, `${name} will quote, and be killed`)
  return {
    name,
    makerId,
    client,
    die: () => {
      life.abort()
      life.release()
    },
  }
}

async function drain(messages: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of messages);
  } catch {
    // It was killed.
  }
}
