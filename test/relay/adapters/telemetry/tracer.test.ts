import { afterEach, expect, it, vi } from 'vitest'
import { RfqError } from '../../../../src/protocol/domain/errors.ts'
import { createTracer } from '../../../../src/relay/adapters/telemetry/tracer.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { createOtlpReceiver, type OtlpReceiver } from '../../../support/otlp-receiver.ts'

const CLIENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'
const receivers: OtlpReceiver[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const receiver of receivers.splice(0)) receiver.close()
})

async function start({ ratio = 1 } = {}) {
  const receiver = await createOtlpReceiver()
  receivers.push(receiver)
  const log = createFakeLog()
  const options = { headers: { 'x-token': 'of the operator' }, serviceName: 'rfqctl-test', version: '1', ratio, log }
  return { receiver, log, ...createTracer({ ...options, endpoint: `${receiver.url}/` }) }
}

it('steps reach the collector as spans below each other, with its headers', async () => {
  const { receiver, tracer, close } = await start()
  const facts = { requestId: 'r-1' }
  const answer = await tracer.step('commit', { parent: CLIENT, link: CLIENT, facts }, async (commit) =>
    tracer.step('ask', { parent: commit.traceparent, facts }, async (ask) => {
      ask.note({ makerId: 'ada', outcome: 'confirmed' })
      return 'the answer of the work'
    }),
  )
  expect(answer).toBe('the answer of the work')
  await close()
  const [ask, commit] = receiver.spans
  expect(commit).toMatchObject({
    name: 'rfq commit',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    links: ['4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7'],
    isError: false,
  })
  expect(ask).toMatchObject({ name: 'rfq ask', traceId: commit?.traceId, parentSpanId: commit?.spanId })
  expect(ask?.attributes).toEqual({ 'rfq.request_id': 'r-1', 'rfq.maker_id': 'ada', 'rfq.outcome': 'confirmed' })
  expect(receiver.headers[0]).toMatchObject({ 'x-token': 'of the operator' })
})

it('a refusal is an attribute by its code, never by its words, and reaches the caller', async () => {
  const { receiver, tracer, close } = await start()
  const refused = new RfqError('quote_changed', { detail: 'words of a stranger' })
  const fail = (fault: unknown) => tracer.step('commit', { parent: null, facts: {} }, () => Promise.reject(fault))
  await expect(fail(refused)).rejects.toBe(refused)
  await expect(fail(new Error('words of the database'))).rejects.toThrow('words of the database')
  await close()
  expect(receiver.spans.map(({ attributes }) => attributes['error.type'])).toEqual(['quote_changed', 'internal_error'])
  expect(receiver.spans.every(({ isError }) => isError)).toBe(true)
  expect(receiver.bodies.join()).not.toContain('words of')
})

it('the value of an attribute is bounded', async () => {
  const { receiver, tracer, close } = await start()
  await tracer.step('quote', { parent: null, facts: { makerId: 'm'.repeat(10_000) } }, async () => {})
  await close()
  expect(receiver.spans[0]?.attributes['rfq.maker_id']).toBe('m'.repeat(128))
})

it('the operator says which part of the traces is kept, whatever a client says', async () => {
  const none = await start({ ratio: 0 })
  await none.tracer.step('create', { parent: `${CLIENT.slice(0, -2)}01`, facts: {} }, async () => {})
  await none.close()
  expect(none.receiver.spans).toEqual([])
  const all = await start({ ratio: 1 })
  await all.tracer.step('create', { parent: CLIENT, facts: {} }, async () => {})
  await all.close()
  expect(all.receiver.spans).toHaveLength(1)
})

it('a collector that refuses costs a line of the log, and one when it is back', async () => {
  const { receiver, tracer, close, log } = await start()
  const step = () => tracer.step('quote', { parent: null, facts: {} }, async () => {})
  const warnings = () => log.lines.map(({ event }) => event)
  receiver.status = 400
  await step()
  await expect.poll(warnings).toEqual(['traces_not_sent'])
  await step()
  await step()
  receiver.status = 200
  await step()
  await close()
  expect(warnings()).toEqual(['traces_not_sent', 'traces_sent_again'])
})

it('a collector that never answers drops what is too much, and holds up neither work nor the end', async () => {
  const { receiver, tracer, close } = await start()
  receiver.status = null
  for (let count = 0; count < 5_000; count += 1)
    expect(await tracer.step('quote', { parent: null, facts: {} }, async () => count)).toBe(count)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const closed = close()
  // Two seconds are its bound, five the one of a batch, and the library tries for longer.
  vi.advanceTimersByTime(2_000)
  await closed
})
