import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { readVersion } from '@rfqctl/lib/version'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../core/ports/runtime.ts'
import { NO_TRACER } from '../core/ports/tracer.ts'

/** Loads OpenTelemetry only when a collector is set. */
export async function openTracer({ tracing }: Pick<Settings, 'tracing'>, log: Log, cleanup: CleanupStack) {
  if (tracing === null) return NO_TRACER
  const { createTracer } = await import('../adapters/telemetry/tracer.ts')
  const { tracer, close } = createTracer({ ...tracing, version: readVersion(), log })
  cleanup.defer(close)
  return tracer
}
