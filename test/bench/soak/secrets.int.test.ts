import { expect, test } from 'vitest'
import { createCollector } from '../../../bench/soak/collector.ts'
import { secretsOf, sinkOf } from '../../../bench/soak/secrets.ts'

const maker = { makerId: 'ada', apiKey: `soak-${'k'.repeat(32)}`, privateKey: `0x${'ab'.repeat(32)}` } as const
const signature = 'cd'.repeat(65)

function foundIn(text: string): readonly string[] {
  const collector = createCollector(() => 0)
  const sent = collector.moment()
  for (const secret of secretsOf(maker)) collector.observe(secret)
  const late = { requestId: 'r', makerId: 'ada', quoteId: 'q', signature, sent, status: 404 }
  collector.observe({ kind: 'confirm', ...late })
  collector.observe(sinkOf({ name: 'relay.log', text }))
  return collector.report().examples
}

test('public values may be shown: other keys, other signatures, digests', () => {
  expect(foundIn(`soak-${'x'.repeat(32)} 0x${'ef'.repeat(65)} ${'12'.repeat(32)}`)).toEqual([])
  expect(foundIn('')).toEqual([])
})

test.each([
  ['an API key', `{"apiKey":"${maker.apiKey}"}`, 'V8: relay.log shows the API key of ada'],
  ['a private key', `key ${maker.privateKey}`, 'V8: relay.log shows the private key of ada'],
  ['a late signature', `{"signature":"0x${signature}"}`, 'V8: relay.log shows a late signature of ada'],
  ['a secret behind others', `${'12'.repeat(32)} ${maker.apiKey}`, 'V8: relay.log shows the API key of ada'],
])('%s is found wherever it is, and is itself not shown', (_, text, sentence) => {
  expect(foundIn(text)).toEqual([sentence])
})
