import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createJsonSource } from '../../../../src/relay/adapters/json-source.ts'
import { breakOff, flood, hangUp, json, silence, stall, text } from '../../../kit/plays.ts'
import { startSource } from './source-server.ts'

const noPause = async () => {}
const open = (url: string, deadlineMs?: number) =>
  createJsonSource({ url, sleep: noPause, ...(deadlineMs === undefined ? {} : { deadlineMs }) })

describe('a JSON source', () => {
  it('adds the query to that of its address', async () => {
    const server = await startSource(json({ ok: true }))
    expect(await open(`${server.url}?key=k`).get({ market: '7', startTs: '1' })).toEqual({ ok: true })
    expect(server.queries[0]?.toString()).toBe('key=k&market=7&startTs=1')
  })

  it.each([
    ['an error of the server', text('oops', 500)],
    ['a limit on calls', text('slow down', 429)],
    ['a connection that is dropped', hangUp],
    ['an answer that breaks off', breakOff],
    ['a page instead of JSON', text('<html>', 200)],
  ])('asks again after %s', async (_, fault) => {
    const server = await startSource(fault, fault, json([1]))
    expect(await open(server.url).get({})).toEqual([1])
    expect(server.queries).toHaveLength(3)
  })

  it('pauses longer before each attempt, and gives up after the third', async () => {
    const pauses: number[] = []
    const server = await startSource(text('oops', 503))
    const source = createJsonSource({ url: server.url, sleep: async (ms) => void pauses.push(ms) })
    await expect(source.get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
    expect(server.queries).toHaveLength(3)
    expect(pauses).toHaveLength(2)
    expect(pauses[0]).toBeGreaterThanOrEqual(100)
    expect(pauses[0]).toBeLessThan(300)
    expect(pauses[1]).toBeGreaterThanOrEqual(200)
    expect(pauses[1]).toBeLessThan(600)
  })

  it.each([
    ['a refusal', text('no', 400)],
    ['an unknown address', text('no', 404)],
    ['no content', text('', 204)],
  ])('does not ask again after %s', async (_, answer) => {
    const server = await startSource(answer)
    await expect(open(server.url).get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
    expect(server.queries).toHaveLength(1)
  })

  it.each([
    ['the page of an error', (said: string) => text(said, 500)],
    ['a redirect', (said: string) => text(said, 307, { location: `/${said}` })],
    ['what is no JSON', (said: string) => text(said, 200)],
  ])('does not tell its address when the source repeats it in %s', async (_, answer) => {
    const server = await startSource(answer('no to secret-key'))
    const refusal = await open(`${server.url}/secret-key`)
      .get({})
      .catch((fault: Error) => fault)
    expect(refusal).toMatchObject({ code: 'price_source_unavailable' })
    expect(`${(refusal as Error).stack} ${((refusal as Error).cause as Error).stack}`).not.toContain('secret-key')
  })

  it('does not tell an address that cannot be asked', async () => {
    const refusal = await open('http://user-7:hunter2@127.0.0.1/secret-key')
      .get({})
      .catch((fault: Error) => fault)
    expect(`${((refusal as Error).cause as Error).message}`).not.toMatch(/user-7|hunter2|secret-key/)
  })

  it('follows no redirect, wherever it leads', async () => {
    const target = await startSource(json({ secret: true }))
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startSource(text('', status, { location: target.url }))
      await expect(open(server.url).get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
    }
    expect(target.queries).toEqual([])
  })

  it('takes one MiB and not a byte more', async () => {
    const fits = `"${'x'.repeat(1024 * 1024 - 2)}"`
    const server = await startSource(text(fits), text(`${fits} `))
    expect(await open(server.url).get({})).toHaveLength(1024 * 1024 - 2)
    await expect(open(server.url).get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
    expect(server.queries).toHaveLength(2)
  })

  it('cuts off an answer without end, and one that unpacks to too much', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '))
    const server = await startSource(flood, (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    await expect(open(server.url).get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
    await expect(open(server.url).get({})).rejects.toMatchObject({ code: 'price_source_unavailable' })
  })

  it.each([
    ['silence', silence],
    ['an answer that stalls', stall],
  ])('waits for %s no longer than its deadline, all attempts together', async (_, play) => {
    const server = await startSource(play)
    await expect(open(server.url, 150).get({})).rejects.toMatchObject({
      code: 'price_source_unavailable',
      cause: { message: 'no answer within 150 ms' },
    })
    // The deadline may pass before a busy machine has let the question reach the source.
    expect(server.queries.length).toBeLessThanOrEqual(1)
  })

  it('says nothing of its address when it fails', async () => {
    const server = await startSource(hangUp)
    const fault = await open(`${server.url}?key=hush-hush`)
      .get({ market: 'token-7' })
      .catch((error: Error) => error)
    const words = `${String(fault)} ${(fault as Error).stack} ${String((fault as Error).cause)}`
    expect(words).not.toMatch(/hush-hush|token-7|\/api/)
  })
})
