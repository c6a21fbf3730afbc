import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as client from '../../src/client/index.ts'

const page = readFileSync(new URL('../../docs/concepts/pricing.md', import.meta.url), 'utf8')

it('the example of docs/concepts/pricing.md prints the numbers beside its lines', () => {
  const example = /^```js\n([\s\S]*?)^```/m.exec(page)?.[1] ?? ''
  const expected = [...example.matchAll(/^console\.log.* \/\/ (.*)$/gm)].map(([, said]) => said)
  expect(expected.length).toBe(3)
  const body = example.replace(/^import (\{.*\}) from 'rfqctl\/client'$/m, 'const $1 = client')
  const printed: string[] = []
  new Function('client', 'console', body)(client, { log: (...words: string[]) => printed.push(words.join(' ')) })
  expect(printed).toEqual(expected)
})
