import { expect, test } from 'vitest'
import { createHttpClient, encodeRequest, openHttpConnection, textField } from '../../../bench/soak/http-connection.ts'
import { answer, createFakeConnectionPool } from './fake-connection-pool.ts'

test('a call is a request line, headers and a body of known length', () => {
  expect(encodeRequest('POST', '/a', { headers: { 'x-api-key': 'k' }, body: { b: 'é' } })).toBe(
    'POST /a HTTP/1.1\r\nhost: soak\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"b":"é"}',
  )
})

test('one call goes out after the other, and each gets its own answer, in whatever pieces it comes', async () => {
  const { connections, written, says } = createFakeConnectionPool()
  const connection = openHttpConnection(connections)
  const answers = Promise.all([connection.call('first'), connection.call('second')])
  expect(written).toEqual(['first'])
  for (const piece of answer('{"n":1}')) says(piece)
  expect(written).toEqual(['first', 'second'])
  says(answer('{"n":2}', 409))
  expect(await answers).toEqual([
    { status: 200, text: '{"n":1}' },
    { status: 409, text: '{"n":2}' },
  ])
})

test('a connection that ends fails the calls that wait, and the ones after', async () => {
  const { connections, ends } = createFakeConnectionPool()
  const connection = openHttpConnection(connections)
  const waiting = expect(connection.call('first')).rejects.toThrow('gone')
  ends(new Error('gone'))
  await waiting
  await expect(connection.call('second')).rejects.toThrow('has ended')
})

test('calls at the same time have a connection each, and one that is free again is used again', async () => {
  const { connections, says, ends } = createFakeConnectionPool()
  const client = createHttpClient(connections)
  const first = client.call('first')
  says(answer('1'))
  await first
  const second = client.call('second')
  expect(connections.live()).toBe(1)
  const third = client.call('third')
  expect(connections.live()).toBe(2)
  says(answer('3'))
  expect((await third).text).toBe('3')
  ends(new Error('gone'))
  void second
})

test('a text field is read without the rest', () => {
  expect(textField('{"requestId":"r-1","quoteId":"q-1"}', 'quoteId')).toBe('q-1')
})
