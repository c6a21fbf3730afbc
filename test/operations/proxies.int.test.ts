import { once } from 'node:events'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEYS, type Node, nodeOf, OPERATOR_TOKEN } from '../cluster/node.ts'
import { buildWhenStale } from '../kit/build.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll } from '../kit/keep.ts'
import { askedToSign } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { findFreePort } from '../support/free-port.ts'
import { createOwnCaddy, createOwnNginx, HAS_CADDY, HAS_NGINX, type OwnProxy } from '../support/own-proxy.ts'

const PROXIES = [
  { name: 'nginx', isInstalled: HAS_NGINX, create: createOwnNginx, takesSeveral: true },
  { name: 'caddy', isInstalled: HAS_CADDY, create: createOwnCaddy, takesSeveral: false },
] as const

/** Paths of operators, as those who mean harm would write them. */
const FOR_OPERATORS = ['/metrics', '/metrics?a=b', '/%6detrics', '/x/../metrics', '/ops/v1/makers', '//ops/v1/makers']

describe.each(PROXIES)('$name, as docs/deploy has it', ({ name, isInstalled, create, takesSeveral }) => {
  describe.skipIf(!isInstalled)(isInstalled ? 'in front of a relay' : `(skipped: needs ${name} and openssl)`, () => {
    let relay: RelayProcess
    let proxy: OwnProxy
    let node: Node

    beforeAll(async () => {
      await buildWhenStale()
      // Of the certificate nothing is to be learnt here; where its name is checked, clients would not come this far.
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      relay = await startRelay({
        flags: ['--memory', '--no-chain'],
        env: {
          MAKER_API_KEYS: JSON.stringify(KEYS),
          OPERATOR_TOKEN,
          TRUST_PROXY: '127.0.0.1',
          MAX_OPEN_REQUESTS_PER_ADDRESS: '12',
        },
      })
      // The first of two nodes is gone, which clients are not to notice.
      const gone = takesSeveral ? [`http://127.0.0.1:${await findFreePort()}`] : []
      proxy = await create([...gone, relay.ready.url])
      node = nodeOf({ ...relay, ready: { ...relay.ready, url: proxy.url, wsUrl: proxy.wsUrl } }, null)
    })
    afterAll(async () => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      closeAll()
      await proxy?.stop()
      await relay?.stop()
    })

    /** The status of a call from another address of the loopback, whose path is sent as it is written. */
    async function statusFrom(localAddress: string, path: string, headers = {}): Promise<number> {
      const { hostname, port } = new URL(proxy.url)
      const call = request({ hostname, port, path, headers, localAddress, rejectUnauthorized: false, agent: false })
      call.end()
      const [answer] = await once(call, 'response')
      answer.resume()
      await once(answer, 'end')
      return answer.statusCode
    }

    it('passes a trade: events at once, the socket, a commit that waits for its maker', async () => {
      const maker = node.maker('ada')
      const stream = await maker.stream()
      await stream.until('snapshot_complete')
      const socket = await maker.connect()
      const { requestId } = await node.service.open()
      await stream.until('quote_request', (data) => data.requestId === requestId)
      const watching = await node.service.stream(`/quote-requests/${requestId}/stream`)
      const quoteId = await maker.quoted(requestId)
      await watching.until('best_quote', ({ bestQuote }) => (bestQuote as { price?: number } | null)?.price === 0.12)
      const committing = node.service.commit(requestId, { wallet: node.service.wallet().address })
      const accepted = await askedToSign(socket, requestId)
      expect((await maker.confirm(quoteId, await maker.sign(accepted))).status).toBe(200)
      expect((await committing).status).toBe(200)
      await socket.until('quote:confirmed', requestId)
      await watching.until('closed')
      for (const { close } of [stream, socket, watching]) close()
    })

    it('passes events at once by HTTP/2, too', async () => {
      const session = connect(proxy.url, { rejectUnauthorized: false })
      const { apiKey } = node.maker('bob')
      const stream = session.request({ ':path': '/v1/mm/quote-requests/stream', 'x-api-key': apiKey })
      let text = ''
      stream.on('data', (chunk) => (text += chunk))
      await eventually(
        () => text,
        (seen) => seen.includes('event: snapshot_complete'),
      )
      const { requestId } = await node.service.open()
      await eventually(
        () => text,
        (seen) => seen.includes(requestId),
      )
      stream.close()
      session.close()
    })

    it('names the client itself, whatever the client claims', async () => {
      const claims = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
      const described = await node.service.call('GET', '/asyncapi.json', { headers: claims })
      const servers = Object.values(described.body.servers as Record<string, { host: string; protocol: string }>)
      expect(servers.filter(({ protocol }) => /s$/.test(protocol))).toEqual(servers)
      expect(servers.filter(({ host }) => !host.startsWith('127.0.0.1'))).toEqual([])
      const { market, option } = await node.service.option()
      const open = (number: number) =>
        node.service.call('POST', '/quote-requests', {
          body: { market, option, trade: { side: 'buy', budgetUsd: 100 } },
          headers: { 'x-forwarded-for': `203.0.113.${number}` },
        })
      const statuses = []
      for (let number = 1; number <= 13; number += 1) statuses.push((await open(number)).status)
      expect(statuses).toContain(200)
      expect(statuses.at(-1)).toBe(429)
      expect(relay.stderr()).not.toContain('forwarded_for_ignored')
    })

    it.each(FOR_OPERATORS)('keeps %s to operators', async (path) => {
      const token = { authorization: `Bearer ${OPERATOR_TOKEN}` }
      expect([403, 404]).toContain(await statusFrom('127.0.0.2', path, token))
    })

    it('lets operators in', async () => {
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
      for (const path of ['/metrics', '/ops/v1/makers']) {
        expect((await node.service.call('GET', path, { headers })).status).toBe(200)
      }
    })

    it('writes no key and no secret into its logs, also when no node answers', async () => {
      const { makerId, apiKey } = node.maker('cyd')
      const path = `/v1/mm/quotes?apiKey=${apiKey}`
      expect(await statusFrom('127.0.0.1', path)).toBe(200)
      const gone = await create([`http://127.0.0.1:${await findFreePort()}`])
      const headers = { 'x-api-key': apiKey, 'x-taker-secret': 'the-secret-of-a-taker' }
      const lost = await fetch(`${gone.url}${path}`, { headers })
      expect(lost.status).toBeGreaterThanOrEqual(500)
      await lost.text()
      await eventually(gone.logged, (text) => text.includes('/v1/mm/quotes'))
      const logged = [proxy.logged(), gone.logged()].join('\n')
      await gone.stop()
      expect(logged).toContain('/v1/mm/quotes')
      expect([apiKey, makerId, 'the-secret-of-a-taker'].filter((secret) => logged.includes(secret))).toEqual([])
    })
  })
})
