import { describe, expect, it } from 'vitest'
import { keepToken, takeToken } from '../../../src/web/operate/token.ts'

/** A tab at an address; what it keeps, and every address that it showed. */
function tab(hash: string, kept = new Map<string, string>()) {
  const addresses: string[] = []
  return {
    kept,
    addresses,
    ports: {
      storage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      },
      location: { hash, pathname: '/desk', search: '?a=1' },
      history: {
        replaceState: (_: unknown, __: string, url?: string | URL | null) => void addresses.push(String(url)),
      },
    },
  }
}

describe("an operator's token", () => {
  it('that came in the address is kept, and taken out of the address at once', () => {
    const { ports, kept, addresses } = tab('#token=a%2Bb')
    expect(takeToken(ports)).toBe('a+b')
    expect(addresses).toEqual(['/desk?a=1'])
    expect(takeToken(tab('', kept).ports)).toBe('a+b')
  })

  it('takes the place of the former one', () => {
    const { ports, kept } = tab('#token=first')
    takeToken(ports)
    expect(takeToken(tab('#token=second', kept).ports)).toBe('second')
    expect(takeToken(tab('', kept).ports)).toBe('second')
  })

  it('is not there before someone gave one, and not after it was forgotten', () => {
    const { ports, kept, addresses } = tab('')
    expect([takeToken(ports), addresses]).toEqual([null, []])
    keepToken(ports, 'x')
    keepToken(ports, null)
    expect([takeToken(ports), kept.size]).toEqual([null, 0])
    expect(takeToken(tab('#token=').ports)).toBeNull()
  })

  it('in an address works where a browser keeps nothing', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    const { ports } = tab('#token=x')
    const storage = { getItem: refuse, setItem: refuse, removeItem: refuse }
    expect(takeToken({ ...ports, storage })).toBe('x')
    expect(takeToken({ ...tab('').ports, storage })).toBeNull()
  })
})
