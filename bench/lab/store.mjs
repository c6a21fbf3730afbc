import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orderDomain } from '../../dist/modules/protocol/domain/order.js'
import { disk as machineDisk } from '../../dist/modules/relay/adapters/store/file/disk.js'
import { createFileStore } from '../../dist/modules/relay/adapters/store/file.js'
import { offer } from './rpc.mjs'
import { MAKER, TAKER } from './scene.mjs'

/** The embedded store by itself, and a plain file beside it. */

const FLUSHING = ['write', 'writeAt', 'flushDir']

/** The changes of a trade: request, nonce, acceptance, confirm. */
const CHANGES = 4

const SIGNATURE = `0x${'5a'.repeat(64)}1b`

const clock = {
  now: () => Date.now(),
  schedule: (at, run) => {
    const timer = setTimeout(run, Math.max(0, at - Date.now()))
    return () => clearTimeout(timer)
  },
}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

let flushes = 0

/** The machine's disk, which counts how often it is made to write through. */
const countingDisk = Object.fromEntries(
  Object.entries(machineDisk).map(([name, act]) => [
    name,
    (...args) => {
      if (FLUSHING.includes(name)) flushes += 1
      return act(...args)
    },
  ]),
)

const openStore = (dir) => createFileStore({ dir, clock, log: silent, disk: countingDisk })

offer({
  /** Brings so many executions into the store of a folder. */
  fill: async ({ dir, executions }) => {
    const store = await openStore(dir)
    await inLanes({ lanes: 1_000, times: executions, work: () => trade(store) })
    await store.close()
  },
  /** Trades through a new store. Each is four commits: request, nonce, acceptance and confirm, one after the other. */
  commits: async ({ inFlight, times }) => {
    const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
    const store = await openStore(dir)
    flushes = 0
    const trades = await inLanes({ lanes: inFlight, times, work: () => trade(store) })
    const perFlush = (times * CHANGES) / flushes
    await store.close()
    const bytesEach = Math.round(bytesOf(join(dir, 'segments')) / times / CHANGES)
    rmSync(dir, { recursive: true })
    return { perSecond: trades * CHANGES, perFlush, bytesEach }
  },
  /** Writes of so many bytes to the end of a file, each flushed to the disk before the next. */
  flushedWrites: async ({ bytes, times }) => {
    const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
    const file = await open(join(dir, 'plain'), 'a')
    const row = Buffer.alloc(bytes, 'x')
    const perSecond = await inLanes({
      lanes: 1,
      times,
      work: async () => {
        await file.write(row)
        await file.sync()
      },
    })
    await file.close()
    rmSync(dir, { recursive: true })
    return perSecond
  },
})

/** Does a work so many times, so many of them at once; how often a second. */
async function inLanes({ lanes, times, work }) {
  let left = times
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (left > 0) {
        left -= 1
        await work()
      }
    }),
  )
  return times / ((performance.now() - begun) / 1_000)
}

async function trade(store) {
  const request = requestOf(randomUUID())
  await store.requests.insert(request)
  const nonce = await store.allotNonce(request.requestId, MAKER.address)
  const acceptance = acceptanceOf(request, nonce)
  await store.acceptances.insert(acceptance)
  const execution = { executionId: randomUUID(), signature: SIGNATURE }
  if ((await store.acceptances.confirm(acceptance.acceptanceId, execution)) === null) throw new Error('not confirmed')
}

const requestOf = (requestId) => ({
  requestId,
  seriesId: '77',
  wallet: null,
  market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '123456789', question: 'Will it rain tomorrow?' },
  option: { optionType: 'call', strikeBps: 4_500, expiryMs: Date.now() + 86_400_000 },
  trade: { side: 'buy', budget: 100_000_000n },
  locked: false,
  createdAt: Date.now(),
  expiresAt: Date.now() + 300_000,
  takerSecretDigest: '5a'.repeat(32),
})

function acceptanceOf({ requestId, seriesId, option }, nonce) {
  const now = Date.now()
  const quoteId = randomUUID()
  const quote = { quoteId, requestId, makerId: 'maker-0', maker: MAKER.address, side: 'buy', price: 120_000n }
  const order = { maker: MAKER.address, seriesId, optionAmount: 833n, premiumAmount: 99_960_000n, makerSelling: true }
  return {
    acceptanceId: randomUUID(),
    requestId,
    quoteId,
    makerId: 'maker-0',
    option,
    quote: { ...quote, size: 1_000n, pricedAt: now, expiresAt: now + 300_000 },
    // It ended long ago: what is on file is history, not what the wallet still owes.
    order: { ...order, taker: TAKER, validUntil: 1_700_000_000, nonce },
    domain: orderDomain(80_002, TAKER),
    createdAt: now,
    deadline: now + 300_000,
    state: 'pending',
  }
}

const bytesOf = (dir) => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
