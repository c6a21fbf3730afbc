import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.mjs'

const SUBJECT = 'requests'

/**
 * A `nats-server` of its own on the loopback, null where none is installed. `subscribe` is what a reader says, and
 * `publish` frames a payload.
 */
export async function startNats() {
  if (spawnSync('nats-server', ['--version']).error !== undefined) return null
  const port = await freePort()
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  await pause(500)
  return {
    port,
    subscribe: Buffer.from(`CONNECT {"verbose":false}\r\nSUB ${SUBJECT} 1\r\n`),
    publish: (payload) =>
      Buffer.concat([Buffer.from(`PUB ${SUBJECT} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]),
    stop: async () => {
      child.kill()
    },
  }
}
