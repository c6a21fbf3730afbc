import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Disk, disk as machineDisk } from '../../../src/adapters/store/file/disk.ts'
import { createFileStore } from '../../../src/adapters/store/file.ts'
import { ADA, openBody, type ServerHouse, startServer } from '../../server/support.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'
import { fakeIdentity } from '../../support/fake-identity.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { START_MS, TAKER, walletOf } from '../../support/relay-house.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** The machine's disk, which can be stopped right before it makes the names of a folder durable. */
function createGatedDisk(): { disk: Disk; close: () => void; open: () => void; waiting: () => number } {
  let gate = Promise.resolve()
  let release = () => {}
  let waiting = 0
  return {
    disk: {
      ...machineDisk,
      flushDir: async (dir) => {
        waiting += 1
        await gate
        waiting -= 1
        await machineDisk.flushDir(dir)
      },
    },
    close: () => {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    open: () => release(),
    waiting: () => waiting,
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

async function start() {
  const gate = createGatedDisk()
  const clock = createFakeClock(START_MS)
  const store = await createFileStore({ dir: folder.path, clock, log: createFakeLog(), disk: gate.disk })
  onTestFinished(async () => {
    gate.open()
    await store.close()
  })
  return { gate, house: await startServer({ house: { ports: { store, clock, identity: fakeIdentity } } }) }
}

/** No answer comes before the disk has flushed the folder in which the new file stands; it does right after. */
async function expectAfterFlush(gate: ReturnType<typeof createGatedDisk>, answer: Promise<{ status: number }>) {
  let status = 0
  void answer.then((given) => {
    status = given.status
  })
  await expect.poll(gate.waiting).toBeGreaterThan(0)
  await settle()
  expect(status).toBe(0)
  gate.open()
  expect((await answer).status).toBe(200)
}

const post = ({ call }: ServerHouse, path: string, body: object, headers: Record<string, string> = {}) =>
  call('POST', path, { body, headers })

describe('a 200 that promises durability comes after the flush of the folder (reliability F3)', () => {
  it('on opening a request', async () => {
    const { gate, house } = await start()
    gate.close()
    await expectAfterFlush(gate, post(house, '/quote-requests', openBody()))
  })

  it('on making a key, and on revoking one', async () => {
    const { gate, house } = await start()
    const headers = { authorization: 'Bearer token-of-ada' }
    const { body } = await post(house, '/v1/user/api-keys', {}, headers)
    gate.close()
    await expectAfterFlush(gate, post(house, '/v1/user/api-keys', {}, headers))
    gate.close()
    const { id } = body.apiKey as { id: string }
    await expectAfterFlush(gate, house.call('DELETE', `/v1/user/api-keys/${id}`, { headers }))
  })

  it('on confirm, and on the commit that it answers', async () => {
    const { gate, house } = await start()
    const ada = await house.connect('ada')
    const { requestId } = (await post(house, '/quote-requests', openBody())).body
    const quote = { maker: walletOf('ada'), side: 'buy', price: 0.12, size: 1_000 }
    const { quoteId } = (await post(house, '/v1/mm/quotes', { requestId, quote }, ADA)).body
    const commit = post(house, `/quote-requests/${requestId}/commit`, { wallet: TAKER })
    await expect.poll(() => ada.accepted().length).toBe(1)
    let committed = false
    void commit.then(() => {
      committed = true
    })
    gate.close()
    const signature = await ada.sign()
    const confirm = post(house, `/v1/mm/quotes/${quoteId}/confirm`, { signature }, ADA)
    await expect.poll(gate.waiting).toBeGreaterThan(0)
    await settle()
    expect(committed).toBe(false)
    await expectAfterFlush(gate, confirm)
    expect((await commit).status).toBe(200)
  })

  it('and quote:accepted leaves after the flush of what it asks for (ruling C4)', async () => {
    const { gate, house } = await start()
    const ada = await house.connect('ada')
    const { requestId } = (await post(house, '/quote-requests', openBody())).body
    await house.quote('ada', requestId as string)
    gate.close()
    const commit = house.commit(requestId as string)
    await expect.poll(gate.waiting).toBeGreaterThan(0)
    await settle()
    expect(ada.accepted()).toEqual([])
    gate.open()
    await expect.poll(() => ada.accepted().length).toBe(1)
    await ada.confirm()
    await commit
  })
})
