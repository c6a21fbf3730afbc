import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPushFilter } from './redis-pushes.ts'

const bulk = (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`
const message = (channel: string, text: string) => `*3\r\n${bulk('message')}${bulk(channel)}${bulk(text)}`

const REPLIES = [
  '+PONG\r\n',
  ':12\r\n',
  '$-1\r\n',
  '*-1\r\n',
  `*3\r\n${bulk('subscribe')}${bulk('lost')}:1\r\n`,
  message('kept', '{"text":"\r\nünïcode"}'),
  message('lost', 'one'),
  message('doubled', 'two'),
  `*2\r\n*1\r\n${bulk('message')}$-1\r\n`,
]

const FATES: Record<string, number> = { lost: 0, doubled: 2 }

it('loses and doubles the messages of subscriptions, and nothing else, in whatever pieces they come', () => {
  const wanted = REPLIES.flatMap((reply, index) => (index === 6 ? [] : index === 7 ? [reply, reply] : [reply])).join('')
  const bytes = Buffer.from(REPLIES.join(''))
  const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 })
  fc.assert(
    fc.property(cuts, (places) => {
      const filter = createPushFilter((channel) => FATES[channel] ?? 1)
      const edges = [0, ...places.sort((a, b) => a - b), bytes.length]
      const passed = edges.slice(1).map((edge, index) => filter(bytes.subarray(edges[index], edge)))
      expect(Buffer.concat(passed).toString()).toBe(wanted)
    }),
  )
})
