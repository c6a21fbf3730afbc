import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from '../../core/ports/runtime.ts'

/** `ExportResultCode.SUCCESS` of the library. */
const SUCCESS = 0

/** Logs two lines per outage: a collector that is down fails every second. */
export function reportingOutages(
  exporter: Pick<SpanExporter, 'export' | 'shutdown'>,
  log: Pick<Log, 'info' | 'warn'>,
): SpanExporter {
  let lost = 0
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== SUCCESS) {
          if (lost === 0)
            log.warn('traces_not_sent', { reason: 'the collector does not take traces', count: spans.length })
          lost += spans.length
        } else if (lost > 0) {
          log.info('traces_sent_again', { count: lost })
          lost = 0
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
