import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Attack } from '../lab/attack.ts'
import { flood, percentile } from '../lab/flood.ts'
import { createHonestPair } from '../lab/honest.ts'
import { only, openBody, openMany } from '../lab/steps.ts'
import type { Target } from '../lab/target.ts'

/** Longer than the audit log waits before it writes. */
const WRITTEN_MS = 1_500

export const storeAttacks: readonly Attack[] = [
  ...(['\u0000', '\ud800', `${'\u0000'.repeat(40)}\udfff`] as const).map(
    (junk, n): Attack => ({
      holds: `text that a database cannot keep takes nobody's audit log with it (${n + 1} of 3)`,
      known: true,
      aimsAtStore: true,
      run: async (target) => {
        const stranger = target.stranger()
        const { requestId } = await openOne(target)
        const victims: string[] = []
        for (let round = 0; round < 5; round += 1) {
          const victim = await target.service.open()
          victims.push(victim.requestId)
          const body = { wallet: target.service.wallet().address, expectedQuoteId: junk }
          await stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body })
          await stranger.ask('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret: junk } })
          await wait(200)
        }
        await wait(WRITTEN_MS)
        for (const victim of victims) assert.equal((await target.operator(`/ops/v1/audit/${victim}`)).status, 200)
      },
    }),
  ),
  {
    holds: 'a long text where an id belongs is refused, and is kept neither in memory nor on disk',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const { requestId } = await openOne(target)
      const stranger = target.stranger()
      const before = target.residentMiB()
      const body = { wallet: target.service.wallet().address, expectedQuoteId: 'x'.repeat(60_000) }
      const { statuses } = await flood(1_500, 16, () =>
        stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body }),
      )
      only(statuses, [400, 413, 429])
      // A process has pages to give back: what is kept is told apart from them by its size.
      const grown = target.residentMiB() - before
      assert(grown < 60, `90 MB of refused text left ${Math.round(grown)} MiB`)
    },
  },
  {
    holds: 'refused commits without end do not drive the audit logs of committed requests out',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const pair = await createHonestPair(target.service, await target.maker())
      for (let n = 0; n < 5; n += 1) await pair.trade()
      pair.close()
      const { requestId } = await openOne(target)
      await Promise.all(
        Array.from({ length: 8 }, () => {
          const stranger = target.stranger()
          const body = { wallet: target.service.wallet().address, expectedQuoteId: crypto.randomUUID() }
          return flood(1_500, 8, () => stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body }))
        }),
      )
      await wait(WRITTEN_MS)
      for (const { requestId } of pair.promised) {
        const { status, body } = await target.operator(`/ops/v1/audit/${requestId}`)
        assert.equal(status, 200)
        assert.match(JSON.stringify(body), /confirmed/)
      }
    },
  },
  {
    holds: 'one request takes no more of the audit log than its share, however often it is committed to',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const { requestId } = await openOne(target)
      const stranger = target.stranger()
      await flood(1_500, 16, () => {
        const body = { wallet: target.service.wallet().address, expectedQuoteId: crypto.randomUUID() }
        return stranger.ask('POST', `/quote-requests/${requestId}/commit`, { body })
      })
      await wait(WRITTEN_MS)
      const { body } = await target.operator<{ entries?: unknown[] }>(`/ops/v1/audit/${requestId}`)
      const kept = JSON.stringify(body).length
      assert(kept < 256 * 1_024, `one request has ${kept} bytes of audit log`)
    },
  },
  {
    holds: 'thousands of open requests do not slow the commits of others down',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const pair = await createHonestPair(target.service, await target.maker())
      const trades = async () => {
        const times: number[] = []
        for (let n = 0; n < 15; n += 1) times.push(await pair.trade())
        return percentile(times, 0.5)
      }
      await trades()
      const quiet = await trades()
      const strangers = Array.from({ length: 10 }, () => target.stranger())
      const body = { ...(await openBody(target)), wallet: target.service.wallet().address }
      body.market = { ...body.market, question: '\u{1f4c8}'.repeat(300), yesTokenId: `${10n ** 76n + 7n}` }
      const { statuses } = await flood(4_000, 32, (n) =>
        (strangers[n % strangers.length] as (typeof strangers)[0]).ask('POST', '/quote-requests', { body }),
      )
      only(statuses, [200, 429, 503])
      const loaded = await trades()
      pair.close()
      assert(loaded < 5 * quiet + 25, `a commit takes ${Math.round(loaded)} ms, and ${Math.round(quiet)} ms before`)
    },
  },
  {
    holds: 'requests that are opened and cancelled at once leave little behind',
    known: true,
    aimsAtStore: true,
    run: async (target) => {
      const strangers = Array.from({ length: 8 }, () => target.stranger())
      const body = await openBody(target)
      body.market = { ...body.market, question: '\u{1f4c8}'.repeat(300) }
      const before = target.residentMiB()
      let opened = 0
      await flood(4_000, 32, async (n) => {
        const stranger = strangers[n % strangers.length] as (typeof strangers)[0]
        const reply = await stranger.ask('POST', '/quote-requests', { body })
        if (reply.status !== 200) return reply
        opened += 1
        const { requestId, takerSecret } = reply.body
        return stranger.ask('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
      })
      const grown = target.residentMiB() - before
      assert(grown < 150, `${opened} cancelled requests left ${Math.round(grown)} MiB`)
    },
  },
  {
    holds: 'questions of marks that nobody sees are refused, or shown to nobody as they came',
    isQuick: true,
    known: true,
    run: async (target) => {
      const body = await openBody(target)
      for (const mark of ['\u200f', '\u200b', '\ufeff', '\u{e0041}', '\u202e', '\u2066', '\u0085', '\u007f']) {
        const market = { ...body.market, question: `Will it ra${mark}in?` }
        const reply = await target.stranger().ask('POST', '/quote-requests', { body: { ...body, market } })
        assert.equal(reply.status, 400, `U+${mark.codePointAt(0)?.toString(16)}`)
      }
    },
  },
  {
    holds: 'a market of scripts, templates and escapes is passed on as the text that it is',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker({ funded: false })
      const stream = await maker.stream()
      const body = await openBody(target)
      const question = `\${jndi:ldap://x} {{7*7}} <script>alert(1)</script> ' OR 1=1; -- $(reboot) %00 %n`
      const reply = await target
        .stranger()
        .ask('POST', '/quote-requests', { body: { ...body, market: { ...body.market, question } } })
      only(reply.status, [200])
      const heard = await stream.until('quote_request', ({ requestId }) => requestId === reply.body.requestId)
      stream.close()
      assert.equal((heard.data.params as { market: { question: string } }).market.question, question)
    },
  },
  {
    holds: 'many wallets on one request, all committing at once, are answered each for itself',
    aimsAtStore: true,
    run: async (target) => {
      const strangers = await openMany(target, 1)
      const { requestId } = strangers[0] as { requestId: string }
      const { statuses } = await flood(200, 32, () =>
        target.stranger().ask('POST', `/quote-requests/${requestId}/commit`, {
          body: { wallet: target.service.wallet().address },
        }),
      )
      only(statuses, [409, 429])
    },
  },
]

async function openOne(target: Target): Promise<{ requestId: string }> {
  const [opened] = await openMany(target, 1)
  return opened as { requestId: string }
}
