import { custom } from 'viem'
import { expect, test } from 'vitest'
import { readRegisteredSeries } from '../../src/client/registered-series.ts'

const CORE = '0x1000000000000000000000000000000000000002'

test('a node that fails does not look like a core without the series, which would then be registered again', async () => {
  const transport = custom({
    request: async () => {
      throw new Error('the node is down')
    },
  })
  await expect(readRegisteredSeries({ coreAddress: CORE, transport }, ['1', '2'])).rejects.toThrow(/node is down/)
})
