import { describe, expect, test } from 'vitest'
import { describeApi } from '../../../src/relay/server/openapi/describe.ts'
import { idsIn, nameInAnswers, prettyJson, readBounded } from '../../../src/web/reference/answer.ts'
import { callOf, curlOf, type Filled } from '../../../src/web/reference/call.ts'
import { type OpenApi, type Operation, operationsOf } from '../../../src/web/reference/documents.ts'
import { isMatch } from '../../../src/web/reference/filter.ts'
import { isAboutSeries, withListedSeries } from '../../../src/web/reference/series-body.ts'

const { openapi } = (await describeApi()) as unknown as { openapi: OpenApi }
const operations = operationsOf(openapi)
const operation = (id: string) => operations.get(id) as Operation

const EMPTY: Filled = { parameters: {}, body: '', credentials: {} }
const filled = (parts: Partial<Filled>): Filled => ({ ...EMPTY, ...parts })

describe('the calls that the reference can make', () => {
  test('are all of the document but the WebSocket', () => {
    const all = Object.values(openapi.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect([...operations.keys()]).toEqual(all.filter((id) => id !== 'openMakerSocket'))
  })

  test('take a key in a header and never in the address', () => {
    expect(operation('listQuotes').schemes.map(({ id }) => id)).toEqual(['makerKey'])
    const { call } = callOf(operation('listQuotes'), filled({ credentials: { makerKey: ' key ' } }))
    expect(call).toEqual({ method: 'GET', path: '/v1/mm/quotes', headers: { 'X-API-Key': 'key' }, body: null })
  })

  test('send a token as a bearer', () => {
    const { call } = callOf(operation('listMakers'), filled({ credentials: { operatorToken: 'token' } }))
    expect(call.headers).toEqual({ Authorization: 'Bearer token' })
  })

  test('have what was typed in the path, the query and the headers, escaped, and leave out what is empty', () => {
    const parameters = { 'path id': 'a/b?c', 'header X-Taker-Secret': '', 'query wallet': '0x1 &x=y' }
    expect(callOf(operation('getBestQuote'), filled({ parameters })).call).toMatchObject({
      path: '/quote-requests/a%2Fb%3Fc/quotes',
      headers: {},
    })
    expect(callOf(operation('listPositions'), filled({ parameters })).call.path).toBe(
      '/v1/positions?wallet=0x1+%26x%3Dy',
    )
  })

  test('name what must be there and is not', () => {
    expect(callOf(operation('getSeries'), EMPTY).missing).toEqual(['seriesId'])
    expect(callOf(operation('getSeries'), filled({ parameters: { 'path seriesId': ' ' } })).missing).toEqual([
      'seriesId',
    ])
    expect(callOf(operation('getSeries'), filled({ parameters: { 'path seriesId': '1' } })).missing).toEqual([])
  })

  test('send the body as it was typed', () => {
    const { call } = callOf(operation('drip'), filled({ body: '{ "wallet": 1 }' }))
    expect(call).toMatchObject({ body: '{ "wallet": 1 }', headers: { 'Content-Type': 'application/json' } })
  })
})

describe('the same as a line of curl', () => {
  const ORIGIN = 'http://127.0.0.1:8787'

  test('shows no secret', () => {
    const parts = {
      parameters: { 'path id': 'r', 'header X-Taker-Secret': 'hush' },
      credentials: { makerKey: 'hush', operatorToken: 'hush' },
      body: '{}',
    }
    const lines = [...operations.values()].map((one) => curlOf(one, filled(parts), ORIGIN))
    expect(lines.filter((line) => line.includes('hush'))).toEqual([])
    expect(curlOf(operation('commit'), filled(parts), ORIGIN)).toContain('-H "X-Taker-Secret: $TAKER_SECRET"')
  })

  test('says what a shell would not understand in quotes', () => {
    const body = `{ "question": "Whose's $(it)?" }`
    expect(curlOf(operation('openQuoteRequest'), filled({ body }), ORIGIN)).toBe(
      `curl -H 'Content-Type: application/json' '${ORIGIN}/quote-requests' \\\n  -d '{"question":"Whose'\\''s $(it)?"}'`,
    )
  })

  test('names the method where curl would use another, and reads streams unbuffered', () => {
    const parameters = { 'path quoteId': 'q' }
    expect(curlOf(operation('withdrawQuote'), filled({ parameters }), ORIGIN)).toBe(
      `curl -X DELETE '${ORIGIN}/v1/mm/quotes/q'`,
    )
    expect(curlOf(operation('streamQuoteRequests'), EMPTY, ORIGIN)).toMatch(/^curl -N '/)
  })
})

describe('the shown part of an answer', () => {
  const streamOf = (chunks: readonly string[], onCancel = () => {}) =>
    new ReadableStream<Uint8Array>({
      start: (control) => {
        for (const chunk of chunks) control.enqueue(new TextEncoder().encode(chunk))
        control.close()
      },
      cancel: onCancel,
    })

  test('is all of a short one', async () => {
    expect(await readBounded(streamOf(['ab', 'cd']), 4)).toEqual({ text: 'abcd', isCut: false })
    expect(await readBounded(null)).toEqual({ text: '', isCut: false })
  })

  test('is the beginning of a long one, whose rest is not read', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (control) => {
        pulled += 1
        control.enqueue(new Uint8Array(1_000).fill(120))
      },
    })
    expect(await readBounded(endless, 2_500)).toEqual({ text: 'x'.repeat(2_500), isCut: true })
    expect(pulled).toBeLessThan(10)
  })

  test('is JSON with line breaks, and anything else as it came', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyJson('<b>')).toBe('<b>')
  })

  test('fills the parameters of later calls', () => {
    const ids = idsIn('{"success":true,"requestId":"r","takerSecret": "s","other":{"quoteId":"q"}}')
    expect(ids).toEqual({ requestId: 'r', takerSecret: 's', quoteId: 'q' })
    expect(nameInAnswers('/quote-requests/{id}/commit', 'id')).toBe('requestId')
    expect(nameInAnswers('/v1/user/api-keys/{id}', 'id')).toBe('id')
    expect(nameInAnswers('/quote-requests/{id}/commit', 'X-Taker-Secret')).toBe('takerSecret')
  })
})

test('a listed series replaces that of the example: the one that lives longest, and no package', () => {
  const { body } = operation('openQuoteRequest')
  if (!isAboutSeries(body)) throw new Error('the body is about no series')
  const series = { conditionId: '0x1', yesClobTokenId: '2', optionType: 'put', strikeBps: 4_000, expiry: 10 }
  const legs = { conditionId: '0x1', yesClobTokenId: '2', expiry: 30, legs: [] }
  expect(withListedSeries(body, { series: [{ ...series, expiry: 5 }, series, legs] })).toEqual({
    ...body,
    market: { conditionId: '0x1', yesTokenId: '2' },
    option: { optionType: 'put', strikeBps: 4_000, expiryMs: 10_000 },
  })
  expect(withListedSeries(body, { series: [] })).toBe(null)
  expect(isAboutSeries(operation('drip').body)).toBe(false)
})

test('the filter finds what has every word, in any order and case', () => {
  expect(isMatch('POST Opens a quote request /quote-requests', 'QUOTE post')).toBe(true)
  expect(isMatch('POST Opens a quote request', 'quote get')).toBe(false)
  expect(isMatch('anything', '')).toBe(true)
})
