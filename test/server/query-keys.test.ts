import { expect, test } from 'vitest'
import { ADA, startServer } from './support.ts'

const KEY = ADA['x-api-key']

test('a key in the query is taken, counted, warned of once and never logged (decision M6)', async () => {
  const house = await startServer()
  expect((await house.call('GET', `/v1/mm/quotes?apiKey=${KEY}`)).status).toBe(200)
  expect((await house.call('GET', '/v1/mm/quotes?apiKey=canary')).status).toBe(401)
  await house.stream(`/v1/mm/quote-requests/stream?apiKey=${KEY}`)
  expect(await house.socket(`/maker/v1/ws?apiKey=${KEY}`).next()).toMatchObject({ type: 'connected' })
  expect(house.meter.keysInQuery()).toBe(4)
  expect(house.log.lines.map(({ event }) => event)).toEqual(['api_key_in_query'])
  expect(JSON.stringify(house.log.lines)).not.toMatch(/canary|key-of-ada/)
})

test('a key in the header or in a message is none of these', async () => {
  const house = await startServer()
  expect((await house.call('GET', '/v1/mm/quotes?apiKey=', { headers: ADA })).status).toBe(200)
  const socket = house.socket()
  await socket.opened
  socket.send({ type: 'auth', apiKey: KEY })
  expect(await socket.next()).toMatchObject({ type: 'connected' })
  expect(house.meter.keysInQuery()).toBe(0)
  expect(house.log.lines).toEqual([])
})
