import { keep } from '../../kit/keep.ts'
import { openHttpServer, type Play } from '../../kit/server.ts'

/** A server that a relay asks, and that answers as it is told to. */
export type BadServer = {
  url: string
  asked: () => number
  /** Answers so from now on; null: as the server behind it does. */
  play: (how: Play | null) => void
}

/** Starts one; without a server behind it, it answers `{}`. */
export async function startBadServer(behind?: string): Promise<BadServer> {
  let how: Play | null = null
  const passOn: Play = async (response, { body }) => {
    if (behind === undefined) return response.end('{}')
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(behind, { method: 'POST', headers, body })
    return response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
  }
  const { url, requests, close } = await openHttpServer((response, request) => (how ?? passOn)(response, request))
  keep(() => void close())
  return {
    url: `${url}/`,
    asked: () => requests.length,
    play: (next) => {
      how = next
    },
  }
}
