import { createServer } from 'node:http'

/** A way to a node that counts what is asked: calls of JSON-RPC, one by one also where they come in a batch. */
export async function startCountedNode(rpcUrl) {
  let calls = 0
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    calls += [JSON.parse(body)].flat().length
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    calls: () => calls,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
