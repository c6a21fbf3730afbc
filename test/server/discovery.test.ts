import { describe, expect, it } from 'vitest'
import type { StrikeBps } from '../../src/domain/units.ts'
import { CALL_BUY } from '../support/test-relay.ts'
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
