import { expect, test } from 'vitest'
import { decodeMakerMessage, encodePostTrade } from '../../src/protocol/wire/maker-messages.ts'
import { describeApi } from '../../src/relay/server/openapi/describe.ts'

type Described = { components: { messages: Record<string, { examples: { payload: Record<string, unknown> }[] }> } }

test('the whole quote:accepted of the AsyncAPI description is one that the relay sends', async () => {
  const { components } = (await describeApi()).asyncapi as Described
  const shown = components.messages['makerSocket.quote.accepted']?.examples[0]?.payload ?? {}
  // Only a socket that subscribed to `inventory` receives this field.
  const { fromInventory, ...always } = shown
  const message = decodeMakerMessage(shown)
  if (message?.kind !== 'accepted') throw new Error('The description shows no quote:accepted.')
  expect(encodePostTrade(message)).toEqual(always)
  expect(fromInventory).toMatch(/^\d+$/)
  expect(message.acceptance.order).toMatchObject({ optionAmount: 833n, premiumAmount: 99_960_000n })
})
