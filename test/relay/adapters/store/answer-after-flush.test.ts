import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Disk, disk as machineDisk } from '../../../../src/relay/adapters/store/file/disk.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { createFakeClock, settle } from '../../../support/fake-clock.ts'
import { fakeIdentity } from '../../../support/fake-identity.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { START_MS, TAKER, walletOf } from '../../../support/test-relay.ts'
import { ADA, type Answer, openBody, startServer, type TestServer } from '../../server/support.ts'

/** The machine's disk, on which each flush of a folder's names waits until it is let go, once the gate is closed. */
function createGatedDisk() {
  const held: (() => void)[] = []
  let isClosed = false
  const disk: Disk = {
    ...machineDisk,
    flushDir: async (dir) => {
      if (isClosed) await new Promise<void>((resolve) => held.push(resolve))
      await machineDisk.flushDir(dir)
    },
  }
  return {
    disk,
    close: () => {
      isClosed = true
    },
    open: () => {
      isClosed = false
      for (const letGo of held.splice(0)) letGo()
    },
    /** Resolves when a flush waits. */
    held: () => expect.poll(() => held.length).toBeGreaterThan(0),
    letGo: () => held.shift()?.(),
  }
}

let folder: string
beforeEach(async () => {
  folder = newFolder()
})
afterEach(() => removeFolder(folder))

async function start() {
  const gate = createGatedDisk()
  const clock = createFakeClock(START_MS)
  const store = await createFileStore({ dir: folder, clock, log: createFakeLog(), disk: gate.disk })
  onTestFinished(async () => {
    gate.open()
    await store.close()
  })
  return { gate, fixture: await startServer({ fixture: { ports: { store, clock, identity: fakeIdentity } } }) }
}

/** Whatever a server has to say by now has arrived. */
const quiet = async ({ call }: TestServer) => {
  for (let i = 0; i < 3; i += 1) await call('GET', '/healthz')
  await settle()
}

/** No answer comes before the disk has flushed the folder in which the new file stands; it does right after. */
async function expectAfterFlush(
  fixture: TestServer,
  gate: ReturnType<typeof createGatedDisk>,
  answer: Promise<Answer>,
) {
  let status = 0
  void answer.then((given) => {
    status = given.status
  })
  await gate.held()
  await quiet(fixture)
  expect(status).toBe(0)
  gate.open()
  expect((await answer).status).toBe(200)
}

const post = ({ call }: TestServer, path: string, body: object, headers: Record<string, string> = {}) =>
  call('POST', path, { body, headers })

describe('a 200 that promises durability comes after the flush of the folder (fault F3)', () => {
  it('on opening a request', async () => {
    const { gate, fixture } = await start()
    gate.close()
    await expectAfterFlush(fixture, gate, post(fixture, '/quote-requests', openBody()))
  })

  it('on making a key, and on revoking one', async () => {
    const { gate, fixture } = await start()
    const headers = { authorization: 'Bearer token-of-ada' }
    const { body } = await post(fixture, '/v1/user/api-keys', {}, headers)
    // Nothing of the first is under way any more, so that what is held is of the second.
    await fixture.call('GET', '/v1/user/profile', { headers })
    gate.close()
    await expectAfterFlush(fixture, gate, post(fixture, '/v1/user/api-keys', {}, headers))
    gate.close()
    const { id } = body.apiKey as { id: string }
    await expectAfterFlush(fixture, gate, fixture.call('DELETE', `/v1/user/api-keys/${id}`, { headers }))
  })

  it('on confirm, and on the commit that it answers', async () => {
    const { gate, fixture } = await start()
    const ada = await fixture.connect('ada')
    const { requestId } = (await post(fixture, '/quote-requests', openBody())).body
    const quote = { maker: walletOf('ada'), side: 'buy', price: 0.12, size: 1_000 }
    const { quoteId } = (await post(fixture, '/v1/mm/quotes', { requestId, quote }, ADA)).body
    const commit = post(fixture, `/quote-requests/${requestId}/commit`, { wallet: TAKER })
    await expect.poll(() => ada.accepted().length).toBe(1)
    let committed = false
    void commit.then(() => {
      committed = true
    })
    gate.close()
    const signature = await ada.sign()
    const confirm = post(fixture, `/v1/mm/quotes/${quoteId}/confirm`, { signature }, ADA)
    await gate.held()
    await quiet(fixture)
    expect(committed).toBe(false)
    await expectAfterFlush(fixture, gate, confirm)
    expect((await commit).status).toBe(200)
  })

  it('and quote:accepted leaves after the flush of the acceptance, which carries its nonce (decision C4)', async () => {
    const { gate, fixture } = await start()
    const ada = await fixture.connect('ada')
    const { requestId } = (await post(fixture, '/quote-requests', openBody())).body
    await fixture.quote('ada', requestId as string)
    gate.close()
    const commit = fixture.commit(requestId as string)
    await gate.held()
    await quiet(fixture)
    expect(ada.accepted()).toEqual([])
    gate.letGo()
    await expect.poll(() => ada.accepted().length).toBe(1)
    gate.open()
    await ada.confirm()
    await commit
  })
})
