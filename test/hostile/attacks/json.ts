import assert from 'node:assert/strict'
import { withField } from '../../kit/with-field.ts'
import type { Attack } from '../lab/attack.ts'
import { flood } from '../lab/flood.ts'
import { only, openBody, openMany } from '../lab/steps.ts'

/** JSON that is hard to read, too deep, too clever or no JSON. */
const BOMBS: Readonly<Record<string, string>> = {
  'depth without end': '['.repeat(60_000),
  'depth that is closed again': `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  'a thousand keys of one name': `{${'"wallet":1,'.repeat(1_000)}"wallet":2}`,
  'a prototype': '{"__proto__":{"isAdmin":true},"wallet":"0x"}',
  'a prototype in escapes': '{"\\u005f_proto__":{"isAdmin":true}}',
  'a constructor': '{"constructor":{"prototype":{"isAdmin":true}}}',
  'a number without end': `{"wallet":${'9'.repeat(60_000)}}`,
  'an exponent beyond counting': '{"wallet":1e999999}',
  'a byte order mark': '\ufeff{"wallet":1}',
  'two values': '{"wallet":1}{"wallet":2}',
  'a comment': '{"wallet":1/*x*/}',
  'no value': '{"wallet":undefined}',
  NaN: '{"wallet":NaN}',
  'a string that does not end': `{"wallet":"${'a'.repeat(60_000)}`,
  'a lone surrogate': '{"wallet":"\\ud800"}',
  'a list': '[]',
  null: 'null',
  'a string': '"wallet"',
  'more than is read': `{"wallet":"${'a'.repeat(65_536)}"}`,
  'five thousand unknown fields': `{${Array.from({ length: 5_000 }, (_, n) => `"f${n}":1`).join()}}`,
  'a list in escapes': `{"\\u0041":[${'1,'.repeat(30_000)}1]}`,
}

/** Numbers that are not what they seem, with where they stand in the body that opens a request. */
const NUMBERS: readonly (readonly [path: string, value: unknown])[] = [
  ...['trade.budgetUsd', 'option.strikeBps', 'option.expiryMs'].flatMap((path) =>
    [-1, 0, -0.0, 0.5e-300, 1e308, 2 ** 53 + 2, '1', '0x10', '1e3', ' 1', '١', true, [], [1], {}, ''].map(
      (value) => [path, value] as const,
    ),
  ),
  ['trade.budgetUsd', 1_000_000_000.000001],
  ['trade.budgetUsd', 0.0000001],
  ['option.strikeBps', 10_000],
  ['option.strikeBps', 4_500.5],
  ['market.yesTokenId', '-1'],
  ['market.yesTokenId', `${2n ** 256n}`],
  ['market.yesTokenId', '1e5'],
  ['market.yesTokenId', '٣'],
  ['market.conditionId', `0x${'g'.repeat(64)}`],
  ['market.conditionId', `0x${'a'.repeat(65)}`],
  ['wallet', `0x${'0'.repeat(40)}`],
  ['wallet', '0x52908400098527886E0F7030069857D2E4169Ee7'],
  ['trade.side', 'BUY'],
  ['trade.side', 'buy\u0000'],
  ['option.optionType', 2],
  ['option.optionType', 'CALL'],
]

/** What is taken although it looks odd: the decisions allow it. */
const TAKEN = new Set(['option.expiryMs 1e+308'])

export const jsonAttacks: readonly Attack[] = [
  ...Object.entries(BOMBS).map(
    ([name, text]): Attack => ({
      holds: `JSON with ${name} is refused everywhere, at once`,
      isQuick: true,
      run: async (target) => {
        const stranger = target.stranger()
        const [opened] = await openMany(target, 1)
        const paths = [
          '/quote-requests',
          `/quote-requests/${opened?.requestId}/commit`,
          '/settlement/prepare',
          '/faucet',
        ]
        for (const path of paths) {
          const before = target.cpuMs()
          const { status } = await stranger.ask('POST', path, { text })
          only(status, [0, 400, 413, 429, 503])
          // Others attack at the same time: all that they cost together is far below this.
          assert(target.cpuMs() - before < 4_000)
        }
      },
    }),
  ),
  {
    holds: 'numbers and texts that are nearly right are refused, and the refusal is a bad request',
    isQuick: true,
    run: async (target) => {
      const stranger = target.stranger()
      const good = await openBody(target)
      for (const [path, value] of NUMBERS) {
        const reply = await stranger.ask('POST', '/quote-requests', { body: withField(good, path, value) })
        if (TAKEN.has(`${path} ${value}`)) continue
        assert.equal(reply.status, 400, `${path} = ${JSON.stringify(value)}: ${reply.text}`)
      }
    },
  },
  {
    holds: 'protections that are mistyped are refused and not left out',
    isQuick: true,
    run: async (target) => {
      const [opened] = await openMany(target, 1)
      const wallet = target.service.wallet().address
      const names = [
        'limit_price',
        'LimitPrice',
        'limit-price',
        'minContract',
        'min_contracts',
        'expectedQuoteID',
        'Wallet',
      ]
      for (const name of names) {
        const reply = await target
          .stranger()
          .ask('POST', `/quote-requests/${opened?.requestId}/commit`, { body: { wallet, [name]: 1 } })
        assert.equal(reply.status, 400, name)
      }
    },
  },
  {
    holds: 'limits at the edge of decimals are refused or kept, never rounded against the taker',
    isQuick: true,
    run: async (target) => {
      const maker = await target.maker()
      const [opened] = await openMany(target, 1)
      await maker.quoted(opened?.requestId as string, { price: 0.120001 })
      const wallet = target.service.wallet().address
      for (const limitPrice of [0.12, 0.1200001, 0.1200009999, 0.12000099, 1e-9, 0.1 + 0.02]) {
        const reply = await target
          .stranger()
          .ask('POST', `/quote-requests/${opened?.requestId}/commit`, { body: { wallet, limitPrice } })
        only(reply.status, [400, 409])
      }
    },
  },
  {
    holds: 'hundreds of costly bodies of one stranger leave others served',
    known: true,
    run: async (target) => {
      const stranger = target.stranger()
      const text = BOMBS['five thousand unknown fields'] as string
      const [opened] = await openMany(target, 1)
      const others = target.stranger()
      let slowest = 0
      let refused = 0
      let isOver = false
      const watching = (async () => {
        while (!isOver) {
          const begun = performance.now()
          const { status } = await others.ask('GET', '/healthz')
          if (status !== 200) refused += 1
          slowest = Math.max(slowest, performance.now() - begun)
        }
      })()
      await flood(300, 8, () => stranger.ask('POST', `/quote-requests/${opened?.requestId}/commit`, { text }))
      isOver = true
      await watching
      assert.equal(refused, 0)
      assert(slowest < 1_500, `somebody waited ${Math.round(slowest)} ms`)
    },
  },
]
