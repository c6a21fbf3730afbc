/** Parts of a header that are looked at: no client sends more. */
const MAX_PARTS = 64

/**
 * How much a client wants one of the values that a header lists, 0 to 1; 0 is not at all. Of two entries that fit, the one
 * that says more counts. @see RFC 9110, sections 12.4.2 and 12.5
 */
function weightOf(header: string, value: string): number {
  const [kind = ''] = value.split('/')
  const ranges = value.includes('/') ? [value, `${kind}/*`, '*/*'] : [value, '*']
  let best = { rank: ranges.length, weight: 0 }
  for (const part of header.split(',', MAX_PARTS)) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const rank = ranges.indexOf(range)
    if (rank !== -1 && rank < best.rank) best = { rank, weight: qualityOf(parameters) }
  }
  return best.weight
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))
  if (text === undefined) return 1
  const quality = Number(text.slice(2))
  return quality >= 0 && quality <= 1 ? quality : 0
}

/** Whether a client wants a page more than JSON: a browser that goes somewhere does, a program does not. */
export const prefersPage = (accept: string | undefined): boolean =>
  accept !== undefined && weightOf(accept, 'text/html') > weightOf(accept, 'application/json')

/** The best compression that a client takes; null for none. */
export function encodingFor(acceptEncoding: string | undefined): 'br' | 'gzip' | null {
  if (acceptEncoding === undefined) return null
  const [brotli, gzip] = [weightOf(acceptEncoding, 'br'), weightOf(acceptEncoding, 'gzip')]
  if (brotli > 0 && brotli >= gzip) return 'br'
  return gzip > 0 ? 'gzip' : null
}
