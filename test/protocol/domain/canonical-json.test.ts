import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, type JsonValue } from '../../../src/protocol/domain/canonical-json.ts'

test('writes the example of RFC 8785, section 3.2.2', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`
  expect(canonicalJson(JSON.parse(text))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('sorts names by UTF-16 code units, as in RFC 8785, section 3.2.3', () => {
  const text = String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`
  expect(Object.values(JSON.parse(canonicalJson(JSON.parse(text))))).toHaveLength(7)
  const names = [...canonicalJson(JSON.parse(text)).matchAll(/:"([^"]+)"/g)].map(([, name]) => name)
  expect(names).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ])
})

test('leaves out what is undefined, and refuses what I-JSON has not', () => {
  expect(canonicalJson({ b: undefined, a: [] })).toBe('{"a":[]}')
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udc00': 1 }])
    expect(() => canonicalJson(value)).toThrow(TypeError)
})

test('is the same for values with their names in another order, and reads back as it was', () => {
  const json = fc.jsonValue({ noUnicodeString: false }).filter((value) => !/\p{Surrogate}/u.test(JSON.stringify(value)))
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value as JsonValue)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reversed(value) as JsonValue)).toBe(text)
    }),
  )
})

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}
