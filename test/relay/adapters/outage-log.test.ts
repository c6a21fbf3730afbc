import { beforeEach, describe, expect, it } from 'vitest'
import { RfqError } from '../../../src/protocol/domain/errors.ts'
import { createOutageLog, type OutageLog } from '../../../src/relay/adapters/outage-log.ts'
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts'
import { createFakeLog, type FakeLog } from '../../support/fake-log.ts'

const redis = () => new RfqError('store_unavailable', { detail: 'Redis does not answer.' })
const database = () => new RfqError('store_unavailable')

describe('an outage of a store', () => {
  let clock: FakeClock
  let written: FakeLog
  let outageLog: OutageLog

  beforeEach(() => {
    clock = createFakeClock()
    written = createFakeLog()
    outageLog = createOutageLog(written, clock)
  })

  const events = () => written.lines.map(({ level, event }) => `${level} ${event}`)

  it('is one line when it begins and one when it is over, with how many faults there were and for how long', async () => {
    const fault = redis()
    for (let second = 0; second < 60; second += 1) {
      outageLog.log.warn('redis_upkeep_failed', { fault })
      outageLog.log.error('finish_failed', { fault })
      await clock.advance(1_000)
    }
    expect(written.lines).toEqual([
      { level: 'warn', event: 'outage_begun', fields: { reason: 'redis_upkeep_failed', fault } },
    ])
    await clock.advance(10_000)
    expect(written.lines.slice(1)).toEqual([
      {
        level: 'info',
        event: 'outage_over',
        fields: { reason: 'Redis does not answer.', count: 120, durationMs: 59_000 },
      },
    ])
  })

  it('is distinct from one of another store, and from the next one of the same', async () => {
    outageLog.log.warn('redis_upkeep_failed', { fault: redis() })
    outageLog.log.warn('reaping_failed', { fault: database() })
    await clock.advance(10_000)
    outageLog.log.warn('reaping_failed', { fault: database() })
    expect(events()).toEqual([
      'warn outage_begun',
      'warn outage_begun',
      'info outage_over',
      'info outage_over',
      'warn outage_begun',
    ])
    expect(outageLog.outages()).toBe(3)
  })

  it('hides no other fault, and no line that names what it is about', () => {
    outageLog.log.warn('redis_upkeep_failed', { fault: redis() })
    outageLog.log.warn('recording_failed', { fault: new RfqError('chain_unavailable') })
    outageLog.log.error('finish_failed', { fault: new TypeError('a fault of ours') })
    outageLog.log.error('confirmation_not_told', { requestId: 'one', fault: redis() })
    outageLog.log.info('request_closed', { requestId: 'one' })
    expect(events().slice(1)).toEqual([
      'warn recording_failed',
      'error finish_failed',
      'error confirmation_not_told',
      'info request_closed',
    ])
  })
})
