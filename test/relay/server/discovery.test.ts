import { describe, expect, it } from 'vitest'
import type { StrikeBps } from '../../../src/protocol/domain/units.ts'
import { createEncodedLists } from '../../../src/relay/server/plugins/encoded-lists.ts'
import { CALL_BUY } from '../../support/test-relay.ts'
import { startServer } from './support.ts'

describe.each(['/v1/markets', '/v1/series', '/v1/series?optionType=call'])('GET %s', (path) => {
  it('has a tag, and says nothing again to who knows it', async () => {
    const { call } = await startServer()
    const first = await call('GET', path)
    const tag = String(first.headers.etag)
    expect(tag).toMatch(/^"[\w-]+"$/)
    expect(first.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'application/json; charset=utf-8',
    })
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await call('GET', path, { headers: { 'if-none-match': known } })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
    }
  })

  it('has another tag, and an answer, once it says something else', async () => {
    const { call, register } = await startServer()
    const tag = String((await call('GET', path)).headers.etag)
    register({ ...CALL_BUY, option: { ...CALL_BUY.option, strikeBps: 3_000 as StrikeBps } })
    const next = await call('GET', path, { headers: { 'if-none-match': tag } })
    expect([next.status, next.body.success]).toEqual([200, true])
    expect(next.headers.etag).not.toBe(tag)
  })

  it('takes no other text for its tag', async () => {
    const { call } = await startServer()
    const tag = String((await call('GET', path)).headers.etag)
    for (const other of ['', '"x"', tag.slice(1, -1), `${tag.slice(0, -2)}"`]) {
      expect((await call('GET', path, { headers: { 'if-none-match': other } })).status).toBe(200)
    }
  })
})

describe('a list', () => {
  it('is encoded once for what was asked, until another item is in it', () => {
    let encodings = 0
    const encoded = createEncodedLists((list: readonly object[]) => {
      encodings += 1
      return list
    })
    const [a, b] = [{ id: 'a' }, { id: 'b' }]
    const first = encoded('all', [a, b])
    expect(encoded('all', [a, b])).toBe(first)
    expect([String(first.bytes), encodings]).toEqual(['[{"id":"a"},{"id":"b"}]', 1])
    const settled = { id: 'b', settled: true }
    expect(encoded('all', [a, settled]).tag).not.toBe(first.tag)
    expect(encoded('all', [settled, a]).tag).not.toBe(encoded('all', [a, settled]).tag)
    expect(String(encoded('all', [a]).bytes)).toBe('[{"id":"a"}]')
    expect(String(encoded('others', [b]).bytes)).toBe('[{"id":"b"}]')
  })

  it('costs its client more for positions in many series', async () => {
    const fixture = await startServer({ server: { requestRate: { perS: 1, burst: 10 } } })
    const ask = async () => (await fixture.call('GET', `/v1/positions?wallet=0x${'ab'.repeat(20)}`)).status
    for (let strike = 100; strike <= 5_000; strike += 100) {
      fixture.register({ ...CALL_BUY, option: { ...CALL_BUY.option, strikeBps: strike as StrikeBps } })
    }
    expect([await ask(), await ask()]).toEqual([200, 429])
  })
})
