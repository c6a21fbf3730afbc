import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findProgram } from '../../../src/sandbox/services/services.ts'
import { buildWhenStale } from '../../kit/build.ts'
import { closeAll } from '../../kit/keep.ts'
import { spawnRfqctl } from '../../kit/relay-process.ts'
import { ghosts } from '../attacks/trading.ts'
import { type Attacked, startAttacked } from '../lab/forms.ts'
import { openMany } from '../lab/steps.ts'
import { createTarget, type Target } from '../lab/target.ts'

/** Whether a process may be given fewer descriptors here, and ids of processes of its own. */
const HAS_LIMITS = findProgram('prlimit', process.env.PATH ?? '') !== null
const HAS_NAMESPACES = findProgram('unshare', process.env.PATH ?? '') !== null && process.getuid?.() === 0

/** The longest that a client which takes nothing may be kept, in milliseconds: what the relay says, and the machine's share. */
const SLOW_READER_MS = 45_000
const SLOW_SENDER_MS = 30_000

/** What once got through: things that are without end unless somebody ends them. Each needs a relay for itself. */
describe.concurrent('bounds', { timeout: 120_000 }, () => {
  const relays: Attacked[] = []

  beforeAll(() => buildWhenStale(), 120_000)
  afterAll(async () => {
    closeAll()
    await Promise.all(relays.map(({ remove }) => remove()))
  }, 60_000)

  async function start(options: Parameters<typeof startAttacked>[0] = {}): Promise<Target & { attacked: Attacked }> {
    const attacked = await startAttacked({ flags: ['--no-chain'], ...options })
    relays.push(attacked)
    return { ...createTarget(attacked), attacked }
  }

  it('clients that read nothing of what they asked for are dropped, and hold little until then', async () => {
    const target = await start()
    const before = target.residentMiB()
    const stranger = target.stranger()
    let open = 0
    const sockets = Array.from({ length: 100 }, () => {
      const socket = stranger.socket()
      open += 1
      socket.on('close', () => (open -= 1))
      socket.write('GET /reference HTTP/1.1\r\nHost: relay\r\n\r\n'.repeat(400))
      socket.pause()
      return socket
    })
    await wait(5_000)
    const begun = Date.now()
    const grownMiB = () => target.residentMiB() - before
    // Garbage counts until it is collected, which a busy machine may put off.
    while (grownMiB() >= 150 && Date.now() - begun < 20_000) await wait(500)
    assert(grownMiB() < 150, `${Math.round(grownMiB())} MiB for 100 connections`)
    await wait(SLOW_READER_MS - 5_000 - (Date.now() - begun))
    // Who reads again finds what the kernel had taken, and then the end.
    for (const socket of sockets) socket.resume()
    await wait(3_000)
    assert.equal(open, 0, `${open} of 100 are open still`)
    await target.assertServes()
  })

  it('clients that send a byte at a time, on any route, are closed before long', async () => {
    const target = await start()
    const stranger = target.stranger()
    const [opened] = await openMany(target, 1)
    const id = opened?.requestId
    const lines = [
      'POST /quote-requests',
      `POST /quote-requests/${id}/commit`,
      `POST /quote-requests/${id}/cancel`,
      'POST /v1/mm/quotes',
      `POST /v1/mm/quotes/${id}/confirm`,
      'POST /settlement/prepare',
      'POST /faucet',
      'POST /v1/user/api-keys',
      'GET /v1/markets',
      'GET /maker/v1/ws',
      'GET /v1/mm/quote-requests/stream',
    ]
    let open = 0
    const sockets = lines.flatMap((line) =>
      ['head', 'body'].map((where) => {
        const socket = stranger.socket()
        open += 1
        socket.on('close', () => (open -= 1))
        socket.on('data', () => {})
        const head = `${line} HTTP/1.1\r\nHost: relay\r\n`
        socket.write(
          where === 'head' ? head : `${head}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
        )
        return socket
      }),
    )
    const trickle = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write('a')
    }, 1_000)
    const end = Date.now() + SLOW_SENDER_MS
    while (open > 0 && Date.now() < end) await wait(200)
    clearInterval(trickle)
    assert.equal(open, 0, `${open} of ${sockets.length} are open still`)
  })

  it.skipIf(!HAS_LIMITS)(
    'connections of one address that idle leave the relay descriptors, and others a way in',
    async () => {
      const target = await start({ through: ['prlimit', '--nofile=1024:1024'] })
      const stranger = target.stranger()
      const sockets = Array.from({ length: 1_100 }, () => {
        const socket = stranger.socket()
        socket.write('GET /healthz HTTP/1.1\r\nHost: relay\r\n\r\n')
        return socket
      })
      await wait(2_000)
      for (let n = 0; n < 20; n += 1) await target.service.open()
      for (const socket of sockets) socket.destroy()
      const stderr = target.attacked.process.stderr()
      assert(!stderr.includes('EMFILE'), 'the store had no descriptor')
    },
  )

  it.skipIf(!HAS_NAMESPACES)('a data dir has one relay, also between containers that share it', async () => {
    const target = await start({ through: ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] })
    const args = ['serve', '--json', '--port', '0', '--no-chain', '--data-dir', target.ready.dataDir]
    for (const through of [[], ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']]) {
      const { signal, stdout, stderr, exited } = spawnRfqctl(args, {}, { through })
      const code = await Promise.race([exited.then((exit) => exit.code), wait(15_000, 'it serves')])
      signal('SIGKILL')
      assert.equal(code, 10, `${code}: ${stdout()}${stderr()}`)
    }
  })

  it('a web page of another origin reaches nothing of a relay in open mode', async () => {
    const target = await start({ flags: ['--no-chain', '--memory'], env: { MAKER_API_KEYS: '' } })
    const stranger = target.stranger()
    const headers = { origin: 'https://evil.example' }
    for (const [method, path] of [
      ['GET', '/v1/mm/quotes'],
      ['GET', '/v1/mm/executions'],
      ['GET', '/v1/mm/quote-requests/stream'],
      ['POST', '/v1/mm/quotes'],
    ] as const) {
      const reply = await stranger.ask(method, path, { headers, ...(method === 'POST' ? { body: {} } : {}) })
      assert.equal(reply.status, 403, `${method} ${path}: ${reply.text}`)
    }
    const socket = await stranger.raw(
      'GET /maker/v1/ws HTTP/1.1\r\nHost: relay\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      2_000,
    )
    assert.equal(socket.status, 403)
  })

  it('five makers that quote best and never sign do not keep an honest one from trading again and again', async () => {
    const target = await start({ env: { MAKER_CONFIRMATION_MS: '1000' } })
    await ghosts(target, 5)
  })

  it('nor do ten', async () => {
    const target = await start({ env: { MAKER_CONFIRMATION_MS: '1000' } })
    await ghosts(target, 10)
  })

  it('an operator shuts a maker out, and it is out', async () => {
    const target = await start()
    const maker = await target.maker()
    const [opened] = await openMany(target, 1)
    const requestId = opened?.requestId as string
    await maker.quoted(requestId)
    const socket = await maker.connect()
    const headers = { authorization: `Bearer ${target.operatorToken}` }
    const path = `/ops/v1/makers/${maker.makerId}/block`
    assert.equal((await target.stranger().ask('POST', path, { body: {} })).status, 401)
    const blocked = await target.service.call('POST', path, { headers, body: { reason: 'never signs' } })
    assert.equal(blocked.status, 200, blocked.text)
    await Promise.race([socket.closed, wait(3_000).then(() => assert.fail('its socket is open'))])
    assert([401, 403].includes((await maker.quote(requestId)).status))
    const { body } = await target.service.call('GET', `/quote-requests/${requestId}/quotes`)
    assert.equal(body.quoteCount, 0)
  })
})
