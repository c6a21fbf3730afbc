import { describe, expect, it } from 'vitest'
import { createOperatorClient } from '../../src/client/operator.ts'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import { encodeAuditLog } from '../../src/protocol/wire/audit.ts'
import { encodeBlocked, encodeMakers } from '../../src/protocol/wire/blocks.ts'
import {
  happenedFrame,
  operatorSnapshotEndFrame,
  operatorSnapshotFrame,
} from '../../src/protocol/wire/operator-stream.ts'
import { encodeSseFrame } from '../../src/protocol/wire/sse.ts'
import { eventually } from '../kit/eventually.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startFakeServer } from './fake-server.ts'

const MISSED: AuditEntry = {
  at: Date.UTC(2026, 0, 1),
  requestId: 'r/1',
  kind: 'missed',
  makerId: 'ada',
  quoteId: 'q1',
}

async function createFixture() {
  const server = await startFakeServer()
  const clock = createFakeClock()
  const client = createOperatorClient({ url: server.url, token: 'op-token', timing: { clock, random: () => 0.5 } })
  return { server, clock, client }
}

describe("the operator's client", () => {
  it('follows the stream with its token, and continues where it was cut', async () => {
    const { server, clock, client } = await createFixture()
    const events = client.watchEvents()
    const first = events.next()
    const call = await server.nextCall()
    expect([call.path, call.headers.authorization]).toEqual(['/ops/v1/events', 'Bearer op-token'])
    const stream = call.stream()
    for (const frame of [
      operatorSnapshotFrame(0),
      operatorSnapshotEndFrame(7),
      { event: 'teleported', data: {}, id: 8 },
      happenedFrame({ id: 9, entry: MISSED }),
    ]) {
      stream.write(encodeSseFrame(frame))
    }
    expect((await first).value).toEqual({ kind: 'snapshot_begin', openRequests: 0 })
    expect((await events.next()).value).toEqual({ kind: 'snapshot_complete' })
    expect((await events.next()).value).toEqual({ kind: 'happened', id: 9, entry: MISSED })
    const next = events.next()
    stream.end()
    await eventually(() => clock.pending() === 1)
    await clock.advance(100)
    const again = await server.nextCall()
    expect(again.headers['last-event-id']).toBe('9')
    again.stream().write(encodeSseFrame(happenedFrame({ id: 10, entry: MISSED })))
    expect((await next).value).toMatchObject({ id: 10 })
    await events.return()
  })

  it('passes events on as they were sent, also those it does not know', async () => {
    const { server, client } = await createFixture()
    const frames = client.watchFrames()
    const first = frames.next()
    const stream = (await server.nextCall()).stream()
    stream.write(encodeSseFrame(operatorSnapshotFrame(3)))
    stream.write(encodeSseFrame({ event: 'teleported', data: { to: 'mars' }, id: 8 }))
    expect((await first).value).toEqual({ event: 'snapshot_begin', id: null, data: { openRequests: 3 } })
    expect((await frames.next()).value).toEqual({ event: 'teleported', id: '8', data: { to: 'mars' } })
  })

  it('gives up at once when the token is refused', async () => {
    const { server, client } = await createFixture()
    const first = client.watchEvents().next()
    const failure = { success: false, error: 'The operator token is missing.', code: 'operator_token_required' }
    ;(await server.nextCall()).answer(401, failure)
    await expect(first).rejects.toMatchObject({ code: 'operator_token_required', status: 401 })
  })

  it('blocks a maker, and reads the standing of all', async () => {
    const { server, client } = await createFixture()
    const block = { makerId: 'a/b', isBlocked: true, by: 'Olga', reason: 'never signs', at: 1_000 }
    const blocking = client.blockMaker({ makerId: 'a/b', isBlocked: true, by: 'Olga', reason: 'never signs' })
    const call = await server.nextCall()
    expect([call.method, call.path, call.headers.authorization]).toEqual([
      'POST',
      '/ops/v1/makers/a%2Fb/block',
      'Bearer op-token',
    ])
    call.answer(200, encodeBlocked(block))
    expect(await blocking).toEqual(block)
    const reading = client.listMakers()
    ;(await server.nextCall()).answer(200, encodeMakers({ makers: [], blocks: [block] }))
    expect(await reading).toEqual({ makers: [], blocks: [block] })
  })

  it('reads the life of a request', async () => {
    const { server, client } = await createFixture()
    const auditLog = client.getAuditLog({ requestId: 'r/1' })
    const call = await server.nextCall()
    expect([call.path, call.headers.authorization]).toEqual(['/ops/v1/audit/r%2F1', 'Bearer op-token'])
    call.answer(200, encodeAuditLog([MISSED]))
    expect(await auditLog).toEqual([MISSED])
  })
})
