import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startRoundRobin } from '../../../src/sandbox/cluster/round-robin.ts'
import { tcpServer } from '../../kit/server.ts'
import { findFreePort } from '../../support/free-port.ts'

/** A server that says its name to whoever connects, and then what it is told. */
async function startNamed(name: string): Promise<{ host: string; port: number }> {
  const { port } = await tcpServer((socket) => {
    socket.write(name)
    socket.pipe(socket)
  })
  return { host: '127.0.0.1', port }
}

async function startProxy(backends: { host: string; port: number }[]) {
  const proxy = await startRoundRobin({ host: '127.0.0.1', port: 0, backends })
  onTestFinished(proxy.close)
  return proxy
}

/** Who answers a connection, and that it goes on with the same one. */
async function ask(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const [name] = await once(socket, 'data')
  socket.write('!')
  const [echo] = await once(socket, 'data')
  socket.destroy()
  return `${name}${echo}`
}

it('hands connections to the backends in turn', async () => {
  const { port } = await startProxy([await startNamed('a'), await startNamed('b')])
  const answers: string[] = []
  for (let i = 0; i < 4; i += 1) answers.push(await ask(port))
  expect(answers).toEqual(['a!', 'b!', 'a!', 'b!'])
})

it('passes over a backend that takes no connection', async () => {
  const dead = { host: '127.0.0.1', port: await findFreePort() }
  const { port } = await startProxy([dead, await startNamed('b'), dead])
  const answers: string[] = []
  for (let i = 0; i < 3; i += 1) answers.push(await ask(port))
  expect(answers).toEqual(['b!', 'b!', 'b!'])
})

it('finds a backend for each of many connections that come at once, beside one that takes none', async () => {
  const dead = { host: '127.0.0.1', port: await findFreePort() }
  const { port } = await startProxy([await startNamed('a'), dead, await startNamed('c')])
  for (let round = 0; round < 4; round += 1) {
    const answers = await Promise.all([ask(port), ask(port), ask(port)])
    for (const answer of answers) expect(['a!', 'c!']).toContain(answer)
  }
})

it('ends a connection that no backend takes', async () => {
  const { port } = await startProxy([{ host: '127.0.0.1', port: await findFreePort() }])
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'close')
})
