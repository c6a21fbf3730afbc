/** No client sends more parts in a header. */
const MAX_PARTS = 64

/**
 * From 0, not at all, to 1. Of two entries that fit, the more specific one counts.
 * @see RFC 9110, sections 12.4.2 and 12.5
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

/** A browser that navigates prefers a page; a program does not. */
export const prefersPage = (accept: string | undefined): boolean =>
  accept !== undefined && weightOf(accept, 'text/html') > weightOf(accept, 'application/json')

/** For a call that answers in JSON, too. */
export const prefersStream = (accept: string | undefined): boolean =>
  accept !== undefined && weightOf(accept, 'text/event-stream') > weightOf(accept, 'application/json')

/** Null means uncompressed. */
export function encodingFor(acceptEncoding: string | undefined): 'br' | 'gzip' | null {
  if (acceptEncoding === undefined) return null
  const [brotli, gzip] = [weightOf(acceptEncoding, 'br'), weightOf(acceptEncoding, 'gzip')]
  if (brotli > 0 && brotli >= gzip) return 'br'
  return gzip > 0 ? 'gzip' : null
}
