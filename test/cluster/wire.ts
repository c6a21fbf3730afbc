import { keep } from '../kit/keep.ts'
import { createPushFilter, type Fate } from '../support/redis-pushes.ts'
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** A wire to a server, and the server's address by way of it. */
export type Wire = TcpProxy & { url: string }

/** Lays a wire to the server of an address. With a `fate`, to a Redis whose messages meet it. */
export async function layWire(server: string, fate?: Fate): Promise<Wire> {
  const { hostname, port } = new URL(server)
  const filter = fate === undefined ? undefined : () => createPushFilter(fate)
  const proxy = await createTcpProxy({ host: hostname, port: Number(port) }, filter)
  keep(() => void proxy.close())
  const url = new URL(server)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return { ...proxy, url: url.href }
}
