import { RfqError } from '@rfqctl/protocol/domain/errors'
import { readActiveSigner } from './active-signer.ts'
import type { ChainHead, ResolutionSigner } from './ports/chain.ts'
import type { OperationsPorts, OperationsSettings, Vitals } from './ports/operations.ts'
import type { Clock } from './ports/runtime.ts'
import { createThrottledRead } from './throttled-read.ts'
import { headAgeMs } from './tradable.ts'

/** `tookMs` is the time of the answer; `off`: not configured. */
export type PartHealth = { state: 'up' | 'down' | 'off'; tookMs: number; detail: string | null }

export type PartName = 'store' | 'bus' | 'chain'

/** Unix milliseconds and milliseconds; null: not known. */
export type HealthReport = {
  at: number
  isReady: boolean
  parts: Readonly<Record<PartName, PartHealth>>
  head: (ChainHead & { ageMs: number }) | null
  makersConnected: number | null
  /** True if the core accepts the relay's signatures and its signer answers; null also without a signer. */
  isSignerActive: boolean | null
  vitals: Vitals
  /** From the start, or from the first poll with the present state. */
  since: Readonly<Record<PartName | 'signer', number>>
}

type Probe<Value> = { health: PartHealth; value: Value | null }

const PROBE_TIMEOUT_MS = 2_000

/** Bounds the polls of the parts, milliseconds: anyone may ask for the report. */
const READ_EVERY_MS = 1_000

/** Reads at most once a second for all callers. */
export function createHealth(ports: OperationsPorts, settings: OperationsSettings): () => Promise<HealthReport> {
  const watch = createChangeWatch()
  return createThrottledRead(ports.clock, READ_EVERY_MS, async () => {
    const report = await readHealth(ports, settings)
    return { ...report, since: watch(report) }
  })
}

type Unwatched = Omit<HealthReport, 'since'>

/** A part that works at the first poll counts as up from the start. */
function createChangeWatch(): (report: Unwatched) => HealthReport['since'] {
  const seen = new Map<string, { state: string; since: number }>()
  return ({ at, parts, isSignerActive, vitals }) => {
    const sinceOf = (name: PartName | 'signer', state: string): number => {
      const before = seen.get(name)
      if (before?.state === state) return before.since
      const since = before === undefined && state !== 'down' ? at - vitals.uptimeMs : at
      seen.set(name, { state, since })
      return since
    }
    return {
      store: sinceOf('store', parts.store.state),
      bus: sinceOf('bus', parts.bus.state),
      chain: sinceOf('chain', parts.chain.state),
      signer: sinceOf('signer', isSignerActive === false ? 'down' : 'up'),
    }
  }
}

/** Asks store, bus and chain in parallel, and checks the age of the chain's head (fault E5). */
async function readHealth(ports: OperationsPorts, { headStaleMs }: OperationsSettings): Promise<Unwatched> {
  const { clock, store, presence, chain, meter, resolutionSigner } = ports
  const [storeProbe, busProbe, chainProbe, signerProbe] = await Promise.all([
    probe(clock, () => store.ping()),
    probe(clock, () => presence.countStreams()),
    probe(clock, () => chain.head()),
    probe(clock, async () => (resolutionSigner === null ? null : isActive(chain, resolutionSigner))),
  ])
  const head =
    chainProbe.value === null ? null : { ...chainProbe.value, ageMs: headAgeMs(chainProbe.value, clock.now()) }
  const parts = { store: storeProbe.health, bus: busProbe.health, chain: chainHealth(chainProbe.health) }

  function chainHealth(health: PartHealth): PartHealth {
    if (chain.mode === 'simulated') return { ...health, state: 'off' }
    if (headStaleMs === 0 || head === null || head.ageMs <= headStaleMs) return health
    return { ...health, state: 'down', detail: `the last block is ${Math.round(head.ageMs / 1_000)} s old` }
  }

  return {
    at: clock.now(),
    isReady: Object.values(parts).every(({ state }) => state !== 'down'),
    parts,
    head,
    makersConnected: busProbe.value,
    isSignerActive: signerProbe.value,
    vitals: meter.vitals(),
  }
}

/** Null if unknown. A signer that does not answer settles as little as one that is not active. */
async function isActive(chain: OperationsPorts['chain'], signer: ResolutionSigner): Promise<boolean | null> {
  try {
    return (await readActiveSigner(chain, signer, 'cached'))?.isOurs ?? null
  } catch (fault) {
    if (fault instanceof RfqError && fault.code.startsWith('signer_')) return false
    throw fault
  }
}

async function probe<Value>(clock: Clock, ask: () => Promise<Value>): Promise<Probe<Value>> {
  const startedAt = clock.now()
  const health = (state: 'up' | 'down', detail: string | null): PartHealth => ({
    state,
    tookMs: clock.now() - startedAt,
    detail,
  })
  let stopTimer = () => {}
  const late = new Promise<never>((_, reject) => {
    stopTimer = clock.schedule(startedAt + PROBE_TIMEOUT_MS, () =>
      reject(new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`)),
    )
  })
  try {
    const value = await Promise.race([ask(), late])
    return { health: health('up', null), value }
  } catch (fault) {
    return { health: health('down', fault instanceof Error ? fault.message : String(fault)), value: null }
  } finally {
    stopTimer()
  }
}
