import type { Play } from './server.ts'

/** Answers with a JSON value. */
export const json =
  (value: unknown, status = 200): Play =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

/** Answers with text as it is. */
export const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Play =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }

/** Takes the request and never says a word. */
export const silence: Play = () => {}

/** Drops the connection without an answer. */
export const hangUp: Play = (_, request) => request.socket.destroy()

/** Sends the start of an answer and nothing more. */
export const stall: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"history":[')
}

/** Sends the start of an answer and drops the connection. */
export const breakOff: Play = (response, request) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"history":[', () => request.socket.destroy())
}

/** Sends JSON that never ends, as fast as it is read. */
export const flood: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = `${'1,'.repeat(32_768)}`
  const pump = () => {
    while (response.write(chunk)) {
      if (response.destroyed) return
    }
  }
  response.on('drain', pump)
  pump()
}

/** A call of a node. */
export type RpcCall = { method: string; params: unknown[] }

/** Answers calls of JSON-RPC, one or a batch; a call whose answer throws, or is undefined, is refused. */
export const rpc =
  (answer: (call: RpcCall) => unknown): Play =>
  async (response, { body }) => {
    const asked = JSON.parse(body)
    const answers = await Promise.all([asked].flat().map((call) => answerRpc(call, answer)))
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  }

async function answerRpc(call: RpcCall & { id: unknown }, answer: (call: RpcCall) => unknown): Promise<object> {
  const head = { jsonrpc: '2.0', id: call.id }
  try {
    const result = await answer(call)
    if (result === undefined) return { ...head, error: { code: -32_601, message: 'no' } }
    return { ...head, result }
  } catch (fault) {
    return { ...head, error: { code: -32_000, message: (fault as Error).message } }
  }
}
