import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeMakerMessage, encodePostTrade } from '../../src/protocol/wire/maker-messages.ts'

const PAGE = readFileSync(new URL('../../docs/reference/protocol.md', import.meta.url), 'utf8')

test('the whole message of the socket that the page shows is one that the relay sends', () => {
  const shown: unknown = JSON.parse(/\/maker\/v1\/ws`\n[\s\S]*?```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? 'null')
  const message = decodeMakerMessage(shown)
  if (message?.kind !== 'accepted') throw new Error('The page shows no quote:accepted.')
  expect(encodePostTrade(message)).toEqual(shown)
  expect(message.acceptance.order).toMatchObject({ optionAmount: 833n, premiumAmount: 99_960_000n })
})
