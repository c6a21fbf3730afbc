import { once } from 'node:events'
import { Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createOutbox, messageOfChunk } from '../../../src/relay/server/ws/frame.ts'
import { silence } from '../../kit/plays.ts'
import { httpServer } from '../../kit/server.ts'

/** An outbox whose writes are kept, and whose turn ends when it is told to. */
function open() {
  const writes: Buffer[] = []
  const connection = new Writable({
    write: (frames, _, done) => {
      writes.push(frames)
      done()
    },
    writev: (all, done) => {
      writes.push(Buffer.concat(all.map(({ chunk }) => chunk)))
      done()
    },
  })
  let turn = new Set<() => void>()
  const outbox = createOutbox({
    hold: (pass) => void turn.add(pass),
    connection,
    write: (frames) => void connection.write(frames),
  })
  return {
    ...outbox,
    connection,
    writes,
    endTurn: () => {
      const due = turn
      turn = new Set()
      for (const run of due) run()
    },
  }
}

/** What a client of WebSockets hears of bytes. */
async function heardOf(bytes: Buffer, count: number): Promise<unknown[]> {
  const { server, port } = await httpServer(silence)
  new WebSocketServer({ server }).on('connection', (_, { socket }) => void socket.write(bytes))
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  onTestFinished(() => client.terminate())
  const heard: unknown[] = []
  client.on('message', (data) => {
    heard.push(JSON.parse(data.toString()))
    if (heard.length === count) client.emit('all')
  })
  await once(client, 'all')
  return heard
}

describe('messages of a maker socket', () => {
  it('is one write for all answers of a turn, in their order', async () => {
    const { answer, writes, endTurn } = open()
    const answers = ['a', 'b', 'c'].map((ref) => ({ type: 'quote:ok', ref }))
    answers.forEach(answer)
    expect(writes).toEqual([])
    endTurn()
    expect(writes).toHaveLength(1)
    expect(await heardOf(writes[0] as Buffer, 3)).toEqual(answers)
  })

  it('are not gathered without end while a turn lasts', () => {
    const { answer, writes } = open()
    const message = { type: 'quote:error', text: 'x'.repeat(1_000) }
    for (let n = 0; n < 400; n += 1) answer(message)
    expect(writes.length).toBeGreaterThan(4)
    for (const { length } of writes) expect(length).toBeLessThan(70_000)
  })

  it('leaves at once where it is no answer, behind the answers before it', async () => {
    const { answer, send, writes, endTurn } = open()
    answer({ ref: 'a' })
    send({ type: 'quote:accepted' })
    endTurn()
    expect(writes).toHaveLength(1)
    expect(await heardOf(writes[0] as Buffer, 2)).toEqual([{ ref: 'a' }, { type: 'quote:accepted' }])
  })

  it('leaves in one write with a request that is announced in its turn, and holds back none after it', async () => {
    const { answer, connection, writes, endTurn } = open()
    const announce = (id: number) => connection.write(messageOfChunk(Buffer.from(`id: ${id}\nevent: e\ndata: {}\n\n`)))
    answer({ ref: 'a' })
    announce(1)
    expect(writes).toEqual([])
    endTurn()
    expect(writes).toHaveLength(1)
    announce(2)
    expect(writes).toHaveLength(2)
    const announced = (id: number) => ({ type: 'requests', id, event: 'e', data: {} })
    expect(await heardOf(Buffer.concat(writes), 3)).toEqual([announced(1), { ref: 'a' }, announced(2)])
  })

  it('takes with it what was announced before it where it leaves at once', () => {
    const { answer, send, connection, writes } = open()
    answer({ ref: 'a' })
    connection.write(Buffer.from('announced'))
    send({ type: 'quote:accepted' })
    expect(writes).toHaveLength(1)
    connection.write(Buffer.from('announced'))
    expect(writes).toHaveLength(2)
  })

  it('is nothing for a turn that answered nothing', () => {
    const { flush, endTurn, writes } = open()
    flush()
    endTurn()
    expect(writes).toEqual([])
  })

  it('can be read whatever its length is, in bytes of text that is not ASCII, too', async () => {
    const { answer, writes, endTurn } = open()
    const messages = [0, 115, 116, 117, 65_525, 65_526, 70_000].map((length) => ({ t: 'x'.repeat(length) }))
    const all = [...messages, { t: '☂'.repeat(30_000) }]
    all.forEach(answer)
    endTurn()
    expect(await heardOf(Buffer.concat(writes), all.length)).toEqual(all)
  })
})
