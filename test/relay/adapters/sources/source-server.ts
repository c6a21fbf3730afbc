import { httpServer, type Play } from '../../../kit/server.ts'

/** A public API on loopback, which plays what a test tells it: one play per request, the last one for all that follow. */
export type SourceServer = {
  url: string
  /** The queries that came, oldest first. */
  queries: URLSearchParams[]
  plays: Play[]
}

/** A source that ends with its test. */
export async function startSource(...plays: Play[]): Promise<SourceServer> {
  const queries: URLSearchParams[] = []
  const { url } = await httpServer((response, request) => {
    queries.push(request.query)
    const play = plays.length > 1 ? plays.shift() : plays[0]
    return play?.(response, request)
  })
  return { url: `${url}/api`, queries, plays }
}
