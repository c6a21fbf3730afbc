/** Bytes of an answer that are shown: a page that draws megabytes freezes. */
export const SHOWN_BYTES = 100_000

export const HEADERS = ['content-type', 'retry-after', 'etag', 'cache-control', 'content-encoding'] as const

/** `isCut` says whether there was more; the rest is not read. */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  most = SHOWN_BYTES,
): Promise<{ text: string; isCut: boolean }> {
  if (body === null) return { text: '', isCut: false }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let left = most
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), isCut: false }
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.length
    if (left < 0) {
      await reader.cancel()
      return { text, isCut: true }
    }
  }
}

export function prettyJson(text: string, indent = 2): string {
  try {
    return JSON.stringify(JSON.parse(text), null, indent)
  } catch {
    return text
  }
}

/** Ids and the secret that later calls need. */
const REMEMBERED = ['requestId', 'quoteId', 'seriesId', 'takerSecret', 'conditionId'] as const

export function idsIn(text: string): Readonly<Record<string, string>> {
  const found = REMEMBERED.flatMap((name): [string, string][] => {
    const [, value] = new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,200})"`).exec(text) ?? []
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(found)
}

/** The id in `/quote-requests/{id}` is a `requestId` in answers. */
export function nameInAnswers(path: string, parameter: string): string {
  if (parameter === 'X-Taker-Secret') return 'takerSecret'
  return parameter === 'id' && path.startsWith('/quote-requests/') ? 'requestId' : parameter
}
