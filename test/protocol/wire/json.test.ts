import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/protocol/wire/json.ts'

describe('JSON text', () => {
  test('is read as JSON.parse reads it', () => {
    fc.assert(
      // fast-check likes to name fields after prototypes, which is refused.
      fc.property(
        fc.json().filter((text) => !/__proto__|constructor|prototype/.test(text)),
        (text) => {
          expect(parseJson(text)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  test.each(['', '{', '{}x', '\uFEFF{}', "{'a':1}", 'NaN', '[1,]', '{"a":1e}'])(
    'is refused when broken: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
    },
  )

  test.each([
    '{"__proto__":{"x":1}}',
    '{"\\u005f_proto__":{"x":1}}',
    '{"a":[{"constructor":{"prototype":{"x":1}}}]}',
    '{"c\\u006fnstructor":1}',
    '{"a":{"prototype":1}}',
  ])('is refused with a prototype key at any depth: %s', (text) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('may speak of prototypes in its values', () => {
    expect(parseJson('{"a":"constructor __proto__ \\u00e9"}')).toEqual({ a: 'constructor __proto__ é' })
  })

  test('with any depth does not end the process', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    expect(() => parseJson(deep)).not.toThrow()
    expect(() => parseJson(`{"a":"__proto__","b":${deep}}`)).not.toThrow()
    const key = `${'['.repeat(30_000)}{"__proto__":1}${']'.repeat(30_000)}`
    expect(() => parseJson(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
