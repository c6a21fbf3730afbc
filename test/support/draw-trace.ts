import type { ReceivedSpan } from './otlp-receiver.ts'

const WIDTH = 960
const LABEL = 190
const ROW = 34
const TOP = 46
const COLORS = ['#2563eb', '#b45309', '#047857', '#7c3aed']

/** What stands in a picture instead of a name of a machine: node A, node B, in the order in which they come. */
const nodeNames = (spans: readonly ReceivedSpan[]): ReadonlyMap<string, string> =>
  new Map([...new Set(spans.map(({ node }) => node))].map((node, index) => [node, `node ${'ABCD'[index]}`]))

/** A trace as SVG: a bar for each span, in the order in which they began, coloured by the node that it was on. */
export function drawTrace(unsorted: readonly ReceivedSpan[]): string {
  const spans = unsorted.toSorted((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)
  const start = Math.min(...spans.map(({ startMs }) => startMs))
  const length = Math.max(...spans.map(({ endMs }) => endMs)) - start
  const names = nodeNames(spans)
  const x = (ms: number) => LABEL + ((ms - start) / length) * (WIDTH - LABEL - 90)
  const depth = depthsOf(spans)
  const rows = spans.map((span, index) => {
    const y = TOP + index * ROW
    const node = names.get(span.node) ?? ''
    const color = COLORS[[...names.keys()].indexOf(span.node)] ?? '#000'
    const width = Math.max(3, x(span.endMs) - x(span.startMs))
    const took = `${(span.endMs - span.startMs).toFixed(1)} ms`
    return [
      `<text x="${12 + (depth.get(span.spanId) ?? 0) * 16}" y="${y + 17}">${span.name}</text>`,
      `<rect x="${x(span.startMs).toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="18" rx="3" fill="${color}"/>`,
      `<text class="took" x="${(x(span.startMs) + width + 6).toFixed(1)}" y="${y + 17}">${took}</text>`,
      `<title>${span.name} on ${node}, ${took}</title>`,
    ].join('')
  })
  const legend = [...names.values()].map(
    (name, index) =>
      `<rect x="${LABEL + index * 110}" y="14" width="14" height="14" rx="3" fill="${COLORS[index]}"/><text x="${LABEL + 20 + index * 110}" y="26">${name}</text>`,
  )
  const height = TOP + spans.length * ROW + 10
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The trace of one trade over two nodes">`,
    '<style>text{font:14px system-ui,sans-serif;fill:#111}.took{fill:#555;font-size:12px}</style>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="26">one trade, ${length.toFixed(0)} ms</text>`,
    ...legend,
    ...rows.map((row) => `<g>${row}</g>`),
    '</svg>',
  ].join('\n')}\n`
}

/** How many spans of the trace are above each. */
function depthsOf(spans: readonly ReceivedSpan[]): ReadonlyMap<string, number> {
  const parents = new Map(spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]))
  const depthOf = (spanId: string): number => {
    const parent = parents.get(spanId) ?? null
    return parent === null || !parents.has(parent) ? 0 : 1 + depthOf(parent)
  }
  return new Map(spans.map(({ spanId }) => [spanId, depthOf(spanId)]))
}
