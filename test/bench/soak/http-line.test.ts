import { expect, test } from 'vitest'
import { createLine, createLines, encodeCall, textField } from '../../../bench/soak/http-line.ts'
import { createFakeDialler } from './fake-dialler.ts'

const answer = (text: string, status = 200) => `HTTP/1.1 ${status} OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`

test('a call is a request line, headers and a body of known length', () => {
  expect(encodeCall('POST', '/a', { headers: { 'x-api-key': 'k' }, body: { b: 'é' } })).toBe(
    'POST /a HTTP/1.1\r\nhost: soak\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"b":"é"}',
  )
})

test('one call goes out after the other, and each gets its own answer, in whatever pieces it comes', async () => {
  const { dialler, written, says } = createFakeDialler()
  const line = createLine(dialler)
  const answers = Promise.all([line.call('first'), line.call('second')])
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
  const { dialler, ends } = createFakeDialler()
  const line = createLine(dialler)
  const waiting = expect(line.call('first')).rejects.toThrow('gone')
  ends(new Error('gone'))
  await waiting
  await expect(line.call('second')).rejects.toThrow('has ended')
})

test('calls at the same time have a line each, and one that is free again is used again', async () => {
  const { dialler, says, ends } = createFakeDialler()
  const lines = createLines(dialler)
  const first = lines.call('first')
  says(answer('1'))
  await first
  const second = lines.call('second')
  expect(dialler.live()).toBe(1)
  const third = lines.call('third')
  expect(dialler.live()).toBe(2)
  says(answer('3'))
  expect((await third).text).toBe('3')
  ends(new Error('gone'))
  void second
})

test('a text field is read without the rest', () => {
  expect(textField('{"requestId":"r-1","quoteId":"q-1"}', 'quoteId')).toBe('q-1')
})
