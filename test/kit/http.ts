/** An answer of a relay; `body` is empty when it was not JSON. */
export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body; text: string }

/** What a call may carry; `text` is sent as it is, where `body` would be made JSON. */
export type CallInput = { body?: unknown; text?: string; headers?: Record<string, string>; signal?: AbortSignal }

/** One HTTP call. */
export async function call<Body = Record<string, unknown>>(
  method: string,
  url: string,
  { body, text = body === undefined ? undefined : JSON.stringify(body), headers = {}, ...init }: CallInput = {},
): Promise<Answer<Body>> {
  const type = text === undefined ? {} : { 'content-type': 'application/json' }
  const ask = () => fetch(url, { method, headers: { ...type, ...headers }, body: text ?? null, ...init })
  const first = await ask()
  // A relay waits 8 s for the first byte of a connection. A busy test process takes longer, and sends again what was not read.
  const response = first.status === 408 ? await ask() : first
  const received = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && received !== ''
  const { status } = response
  return { status, headers: response.headers, text: received, body: isJson ? JSON.parse(received) : {} }
}
