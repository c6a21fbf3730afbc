import { expect, test } from 'vitest'
import { ADA, startServer } from './support.ts'

const KEY = ADA['x-api-key']

test('a key in the query is taken, counted, warned of once and never logged (decision M6)', async () => {
  const fixture = await startServer()
  expect((await fixture.call('GET', `/v1/mm/quotes?apiKey=${KEY}`)).status).toBe(200)
  expect((await fixture.call('GET', '/v1/mm/quotes?apiKey=canary')).status).toBe(401)
  await fixture.stream(`/v1/mm/quote-requests/stream?apiKey=${KEY}`)
  expect(await fixture.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toMatchObject({ type: 'connected' })
  expect(fixture.meter.keysInQuery()).toBe(4)
  expect(fixture.log.lines.map(({ event }) => event)).toEqual(['api_key_in_query'])
  expect(JSON.stringify(fixture.log.lines)).not.toMatch(/canary|key-of-ada/)
})

test('a key in the header or in a message does not count as one', async () => {
  const fixture = await startServer()
  expect((await fixture.call('GET', '/v1/mm/quotes?apiKey=', { headers: ADA })).status).toBe(200)
  const socket = fixture.socket()
  await socket.opened
  socket.send({ type: 'auth', apiKey: KEY })
  expect(await socket.next()).toMatchObject({ type: 'connected' })
  expect(fixture.meter.keysInQuery()).toBe(0)
  expect(fixture.log.lines).toEqual([])
})
