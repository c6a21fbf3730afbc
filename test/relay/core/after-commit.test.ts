import { describe, expect, it } from 'vitest'
import type { Ports } from '../../../src/relay/core/ports/ports.ts'
import { settle } from '../../support/fake-clock.ts'
import { createTestRelay, refusal, TAKER, type TestRelay } from '../../support/test-relay.ts'

/** A book that ends no request until it is let: Redis answers when it answers, and a commit does not wait for it. */
function holdClose({ book }: Ports): () => Promise<void> {
  const { close } = book
  const held: (() => void)[] = []
  book.close = async (...args) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return close(...args)
  }
  return async () => {
    book.close = close
    for (const letGo of held.splice(0)) letGo()
    await settle()
  }
}

/** A trade whose commit has had its 200, and whose book is still open. */
async function traded(
  fixture: TestRelay,
): Promise<{ requestId: string; takerSecret: string; close: () => Promise<void> }> {
  const close = holdClose(fixture.ports)
  const ada = await fixture.connect('ada')
  const opened = await fixture.open()
  await fixture.quote('ada', opened.requestId)
  const commit = fixture.commit(opened.requestId)
  await settle()
  await ada.confirm()
  await commit
  expect(await fixture.ports.book.find(opened.requestId)).toMatchObject({ status: 'open' })
  return { ...opened, close }
}

const poll = ({ relay }: TestRelay, requestId: string) => relay.readRequest({ requestId, takerSecret: null })

describe('after the 200 of a commit (invariant V10)', () => {
  it('a poll says committed, also while the book is open, and its number only rises', async () => {
    const fixture = createTestRelay()
    const { requestId, close } = await traded(fixture)
    const before = await poll(fixture, requestId)
    expect(before).toMatchObject({ status: 'committed', confirming: false, best: null, quoteCount: 0 })
    await close()
    const after = await poll(fixture, requestId)
    expect(after.status).toBe('committed')
    expect(after.bookSeq).toBeGreaterThanOrEqual(before.bookSeq)
  })

  it('a poll says committed, too, where the maker had signed beforehand', async () => {
    const fixture = createTestRelay()
    const close = holdClose(fixture.ports)
    const { requestId } = await fixture.open({ wallet: TAKER })
    await fixture.quoteFirm('ada', requestId)
    await fixture.commit(requestId)
    expect((await poll(fixture, requestId)).status).toBe('committed')
    await close()
  })

  it('a stream does not begin', async () => {
    const fixture = createTestRelay()
    const { requestId, close } = await traded(fixture)
    const watching = fixture.relay.watchRequest({ requestId, takerSecret: null, onChange: () => {} })
    expect(await refusal(watching)).toBe('request_not_found')
    await close()
  })

  it('a cancel is refused as that of a closed request, and a commit gets the same order', async () => {
    const fixture = createTestRelay()
    const { requestId, takerSecret, close } = await traded(fixture)
    expect(await refusal(fixture.relay.cancelRequest({ requestId, takerSecret }))).toBe('request_closed')
    const { execution } = await fixture.commit(requestId)
    expect(execution.acceptance.requestId).toBe(requestId)
    await close()
  })

  it('a poll asks the store of nothing while no maker is asked to sign', async () => {
    const fixture = createTestRelay()
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { requests } = fixture.ports.store
    let asked = 0
    const { find } = requests
    requests.find = (id) => {
      asked += 1
      return find(id)
    }
    expect((await poll(fixture, requestId)).status).toBe('open')
    expect(asked).toBe(0)
  })

  it('an order of a commit that failed on its last step is handed out once the book is closed', async () => {
    const fixture = createTestRelay()
    const close = holdClose(fixture.ports)
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const { executions } = fixture.ports.store
    const { findByRequest } = executions
    const failed = refusal(fixture.commit(requestId))
    await settle()
    executions.findByRequest = () => Promise.reject(new Error('the database is away'))
    await ada.confirm()
    await failed
    executions.findByRequest = findByRequest
    // Its quote was let go, so that nothing in the book says that it may be over.
    expect(await fixture.ports.book.find(requestId)).toMatchObject({ status: 'open', signing: null })
    let isAnswered = false
    const again = fixture.commit(requestId).then(() => {
      isAnswered = true
    })
    await settle()
    expect(isAnswered).toBe(false)
    await close()
    await again
    expect((await poll(fixture, requestId)).status).toBe('committed')
  })

  it('a request that the book had lost is not put back after its end', async () => {
    const fixture = createTestRelay()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    const { book } = fixture.ports
    Object.assign(book, createTestRelay().ports.book)
    const { open } = book
    // Found open in the store; before it is in the book again its maker has signed.
    book.open = async (...args) => {
      await ada.confirm()
      await commit
      return open(...args)
    }
    expect((await poll(fixture, requestId)).status).toBe('committed')
    expect((await poll(fixture, requestId)).status).toBe('committed')
    expect(await book.find(requestId)).toMatchObject({ status: 'committed' })
  })

  it('a market that was lost is not put back with a request that ends meanwhile', async () => {
    const fixture = createTestRelay()
    const { book } = fixture.ports
    const refills: (() => Promise<void>)[] = []
    book.onEmptied = (refill) => {
      refills.push(refill)
      return () => {}
    }
    await fixture.relay.start()
    const ada = await fixture.connect('ada')
    const { requestId } = await fixture.open()
    await fixture.quote('ada', requestId)
    const commit = fixture.commit(requestId)
    await settle()
    Object.assign(book, createTestRelay().ports.book)
    const { open } = book
    book.open = async (...args) => {
      await ada.confirm()
      await commit
      return open(...args)
    }
    for (const refill of refills) await refill()
    expect(await book.openRequests()).toEqual([])
    expect((await poll(fixture, requestId)).status).toBe('committed')
  })
})
