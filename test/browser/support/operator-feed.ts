import type { ServerResponse } from 'node:http'
import type { AuditEntry } from '../../../src/protocol/domain/audit.ts'
import {
  happenedFrame,
  operatorConnectedFrame,
  operatorSnapshotEndFrame,
  operatorSnapshotFrame,
} from '../../../src/protocol/wire/operator-stream.ts'
import { encodeSseFrame, SSE_PING, type SseFrame } from '../../../src/protocol/wire/sse.ts'
import { readWebFiles } from '../../../src/relay/app/web-files.ts'
import { ASSETS_PATH, pagePolicy } from '../../../src/relay/server/pages/files.ts'
import { openHttpServer } from '../../kit/server.ts'

const TICK_MS = 20
const PING_MS = 1_000

/** The operator's page, with a stream behind it in which happens what the test says. */
export type OperatorFeed = {
  url: string
  /** Tells entries to the pages that are open, so many a second, and resolves when the last one is told. */
  tell: (entries: readonly AuditEntry[], perSecond: number) => Promise<void>
  close: () => Promise<void>
}

/** Serves the built page under the policy of relays, and a stream that begins with nothing. */
export async function startOperatorFeed(): Promise<OperatorFeed> {
  const files = readWebFiles()
  if (files === null) throw new Error('the pages are not built')
  const streams = new Set<ServerResponse>()
  let lastId = 1

  const { url, close } = await openHttpServer((response, request) => {
    const path = new URL(request.url, 'http://feed').pathname
    const asset = files.assets.get(path.replace(ASSETS_PATH, ''))
    if (asset !== undefined) return response.writeHead(200, { 'content-type': asset.type }).end(asset.bytes)
    if (path === '/ops/v1/events') return openStream(response)
    const policy = pagePolicy({ relayerUrl: null })
    return response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(files.page)
  })

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const opening: SseFrame[] = [
      operatorConnectedFrame({ serverTime: Date.now(), mode: 'onchain', chainId: 80_002 }),
      operatorSnapshotFrame(0),
      operatorSnapshotEndFrame(lastId),
    ]
    response.write(opening.map(encodeSseFrame).join(''))
    streams.add(response)
    const pings = setInterval(() => response.write(SSE_PING), PING_MS)
    response.on('close', () => {
      clearInterval(pings)
      streams.delete(response)
    })
  }

  const tell = (entries: readonly AuditEntry[], perSecond: number) =>
    new Promise<void>((resolve) => {
      const startedAt = performance.now()
      let told = 0
      const timer = setInterval(() => {
        const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond)
        const frames = entries.slice(told, due).map((entry) => {
          lastId += 1
          return encodeSseFrame(happenedFrame({ id: lastId, entry }))
        })
        told += frames.length
        for (const stream of streams) stream.write(frames.join(''))
        if (told < entries.length) return
        clearInterval(timer)
        resolve()
      }, TICK_MS)
    })

  return { url, tell, close }
}
