import { json } from '../kit/plays.ts'
import { openHttpServer } from '../kit/server.ts'

type Value = { stringValue?: string; intValue?: number | string }
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: { key: string; value: Value }[]
  links?: { traceId: string; spanId: string }[]
  status?: { code?: number }
}
type Export = {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

/** A span as a collector got it; times are Unix milliseconds, `node` is the process that it is of. */
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  node: string
  startMs: number
  endMs: number
  attributes: Readonly<Record<string, unknown>>
  links: readonly string[]
  isError: boolean
}

/** A collector that keeps what it gets, as OpenTelemetry's OTLP over HTTP with JSON has it. */
export type OtlpReceiver = {
  url: string
  spans: ReceivedSpan[]
  bodies: string[]
  headers: Record<string, unknown>[]
  /** What it answers; null: nothing at all. */
  status: number | null
  close: () => Promise<void>
}

export async function createOtlpReceiver(): Promise<OtlpReceiver> {
  const { url, close } = await openHttpServer((response, request) => {
    const status = request.url === '/v1/traces' ? receiver.status : 404
    if (status === null) return
    if (status === 200) {
      receiver.bodies.push(request.body)
      receiver.headers.push(request.headers)
      receiver.spans.push(...spansOf(JSON.parse(request.body)))
    }
    json({}, status)(response, request)
  })
  const receiver: OtlpReceiver = { url, spans: [], bodies: [], headers: [], status: 200, close }
  return receiver
}

const spansOf = ({ resourceSpans }: Export): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const node = String(recordOf(resource.attributes)['service.instance.id'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => received(span, node)))
  })

const received = (span: OtlpSpan, node: string): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? null,
  name: span.name,
  node,
  startMs: Number(span.startTimeUnixNano) / 1e6,
  endMs: Number(span.endTimeUnixNano) / 1e6,
  attributes: recordOf(span.attributes ?? []),
  links: (span.links ?? []).map(({ traceId, spanId }) => `${traceId} ${spanId}`),
  isError: span.status?.code === 2,
})

const recordOf = (attributes: { key: string; value: Value }[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
