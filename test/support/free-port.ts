import { createServer } from 'node:net'
import { listen } from '../kit/server.ts'

/** A port of the loopback that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await listen(createServer())
  await close()
  return port
}
