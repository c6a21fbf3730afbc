import { hostname } from 'node:os'
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import type { Log } from '../../core/ports/runtime.ts'
import type { Step, StepFacts, StepName, Tracer } from '../../core/ports/tracer.ts'
import { reportingOutages } from './export-log.ts'

type Options = {
  /** The collector's OTLP over HTTP, without the path. */
  endpoint: string
  /** The collector's credentials: secrets. */
  headers: Readonly<Record<string, string>>
  serviceName: string
  version: string
  /** The share of traces that is kept, 0 to 1. */
  ratio: number
  log: Pick<Log, 'info' | 'warn'>
}

/** Finished steps that wait for the collector; further ones are dropped. About 1 KB each. */
const MAX_WAITING = 2_048
const MAX_BATCH = 512

/** A step waits this long for others in its batch, and a batch for the collector's answer, in milliseconds. */
const BATCH_MS = 1_000
const EXPORT_MS = 5_000

/** The last export may take this long, in milliseconds: less than a shutdown has. */
const CLOSE_MS = 2_000

/** Steps with another party; all others are internal to the relay. */
const KINDS: Partial<Record<StepName, SpanKind>> = {
  create: SpanKind.SERVER,
  quote: SpanKind.SERVER,
  commit: SpanKind.SERVER,
  confirm: SpanKind.SERVER,
  decline: SpanKind.SERVER,
  ask: SpanKind.PRODUCER,
  tell: SpanKind.CONSUMER,
}

/**
 * Sends traces to an OpenTelemetry collector, in batches and in the background. A trace is kept by its id, the same on
 * every node. A client's wish is ignored, because it would decide what the operator pays.
 */
export function createTracer({ endpoint, headers, serviceName, version, ratio, log }: Options): {
  tracer: Tracer
  /** Sends the rest, for two seconds at most. */
  close: () => Promise<void>
} {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_MS })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
    }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanLimits: { attributeCountLimit: 16, attributeValueLengthLimit: 128, linkCountLimit: 1, eventCountLimit: 0 },
    spanProcessors: [
      new BatchSpanProcessor(reportingOutages(exporter, log), {
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: BATCH_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  })
  const spans = provider.getTracer('rfqctl', version)
  const begin = (name: StepName, about: { parent: string | null; link?: string | null; facts: StepFacts }): Span =>
    spans.startSpan(
      `rfq ${name}`,
      { kind: KINDS[name] ?? SpanKind.INTERNAL, attributes: attributesOf(about.facts), links: linksTo(about.link) },
      contextOf(about.parent),
    )
  return {
    tracer: {
      step: async (name, about, work) => {
        const span = begin(name, about)
        try {
          return await work(stepOf(span))
        } catch (fault) {
          const outcome = fault instanceof RfqError ? fault.code : 'internal_error'
          span.setAttributes({ 'rfq.outcome': outcome, 'error.type': outcome })
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw fault
        } finally {
          span.end()
        }
      },
    },
    close: () => within(CLOSE_MS, provider.shutdown()),
  }
}

const stepOf = (span: Span): Step => ({
  traceparent: textOf(span.spanContext()),
  note: (facts) => span.setAttributes(attributesOf(facts)),
})

const attributesOf = ({ requestId, seriesId, makerId, quoteId, acceptanceId, outcome }: StepFacts): Attributes => ({
  ...(requestId === undefined ? {} : { 'rfq.request_id': requestId }),
  ...(seriesId === undefined ? {} : { 'rfq.series_id': seriesId }),
  ...(makerId === undefined ? {} : { 'rfq.maker_id': makerId }),
  ...(quoteId === undefined ? {} : { 'rfq.quote_id': quoteId }),
  ...(acceptanceId === undefined ? {} : { 'rfq.acceptance_id': acceptanceId }),
  ...(outcome === undefined ? {} : { 'rfq.outcome': outcome }),
})

/** The W3C format; its flags say whether the trace is kept, for services that continue it outside of the relay. */
const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '0'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

const contextOf = (parent: string | null): Context =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent))

const linksTo = (link: string | null | undefined): Link[] => (link == null ? [] : [{ context: spanContextOf(link) }])

/** Waits for work for at most `ms`, whether it succeeds or not: an unreachable collector delays nothing. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), over])
  clearTimeout(timer)
}
