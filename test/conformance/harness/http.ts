/** An answer of the relay; `body` is empty when it was not JSON. */
export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body; text: string }

/** What a call may carry; `text` is sent as it is, where `body` would be made JSON. */
export type CallInput = { body?: unknown; text?: string; headers?: Record<string, string>; signal?: AbortSignal }

/** One plain HTTP call, as anybody would make it with `fetch`. */
export async function call<Body = Record<string, unknown>>(
  method: string,
  url: string,
  { body, text, headers = {}, signal }: CallInput = {},
): Promise<Answer<Body>> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const ask = () =>
    fetch(url, {
      method,
      headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal === undefined ? {} : { signal }),
    })
  const first = await ask()
  // A relay waits 8 s for the first byte on a connection; a test process that is held back between connecting and sending
  // takes longer. Nothing has been read of such a request, so it is sent again, as any client may.
  const response = first.status === 408 ? await ask() : first
  const received = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && received !== ''
  return {
    status: response.status,
    headers: response.headers,
    text: received,
    body: isJson ? JSON.parse(received) : {},
  }
}
