/**
 * The answer of a `fetch` whose body also fails when the signal aborts. `fetch` itself may forget the signal once the
 * headers are there and garbage was collected (seen on Node 20.20): reading half an answer would then wait for its own
 * limit, 5 minutes.
 *
 * @param response - The answer of `fetch`; its body must be unread.
 * @param signal - The signal that `fetch` was given; reading fails with its reason.
 * @returns The same answer, with a body that fails when the signal aborts.
 * @example
 * const signal = AbortSignal.timeout(2_000)
 * const text = await boundBody(await fetch(url, { signal }), signal).text()
 */
export function boundBody(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      const cut = () => {
        stream.error(signal.reason)
        reader.cancel(signal.reason).catch(() => {})
      }
      end = () => signal.removeEventListener('abort', cut)
      if (signal.aborted) cut()
      else signal.addEventListener('abort', cut, { once: true })
    },
    pull: async (stream) => {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (!done) return stream.enqueue(value)
      end()
      stream.close()
    },
    cancel: (reason) => {
      end()
      return reader.cancel(reason)
    },
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}
