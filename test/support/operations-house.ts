import { createAuditRecorder } from '../../src/adapters/audit.ts'
import { createMemoryStore } from '../../src/adapters/store/memory.ts'
import { createOperations, type Operations } from '../../src/relay/operations.ts'
import type { Meter, OperationsSettings, Vitals } from '../../src/relay/operator-ports.ts'
import type { AuditEntry, RelaySettings } from '../../src/relay/ports.ts'
import { createFakeLog } from './fake-log.ts'
import { createRelayHouse, type RelayHouse } from './relay-house.ts'

/** A relay house with its operator's door. */
export type OperationsHouse = RelayHouse & { operations: Operations; meter: FakeMeter; audit: { flush: () => void } }

/** Counts like the real one, and shows what it counted. */
export type FakeMeter = Meter & { answers: Parameters<Meter['answered']>[0][] }

/** A house whose relay writes to the real audit recorder and the memory store's trail. */
export function createOperationsHouse(
  options: {
    settings?: Partial<OperationsSettings>
    relay?: Partial<RelaySettings>
    mode?: 'onchain' | 'simulated'
  } = {},
): OperationsHouse {
  const clock = { now: () => house.clock.now() }
  const store = createMemoryStore({ clock })
  const seen: AuditEntry[] = []
  const recorder = createAuditRecorder({
    epoch: 1,
    log: createFakeLog(),
    trail: {
      record: (entry) => {
        seen.push(entry)
        store.audit.record(entry)
      },
    },
  })
  const house = createRelayHouse({
    ports: { store, audit: recorder },
    ...(options.relay === undefined ? {} : { settings: options.relay }),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
  })
  const meter = createFakeMeter()
  const operations = createOperations(
    {
      ...house.ports,
      auditFeed: recorder.feed,
      meter,
      exposition: async (gauges) => ({ contentType: 'text/plain', text: JSON.stringify(gauges) }),
    },
    { headStaleMs: 0, ...options.settings },
  )
  return { ...house, trail: seen, operations, meter, audit: recorder }
}

/** A meter that counts in the open. */
export function createFakeMeter(): FakeMeter {
  const connections: Record<keyof Vitals['connections'], number> = {
    maker_stream: 0,
    taker_stream: 0,
    operator_stream: 0,
    maker_socket: 0,
  }
  const answers: FakeMeter['answers'] = []
  let droppedSlow = 0
  return {
    answers,
    connected: (channel) => {
      connections[channel] += 1
      return () => {
        connections[channel] -= 1
      }
    },
    dropped: () => {
      droppedSlow += 1
    },
    answered: (answer) => void answers.push(answer),
    vitals: () => ({ connections, droppedSlow, eventLoopLagMs: 1.5, memoryBytes: 64_000_000, uptimeMs: 60_000 }),
  }
}
