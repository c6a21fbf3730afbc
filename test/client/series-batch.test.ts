import { expect, test } from 'vitest'
import { SERIES_BATCH_BYTES } from '../../src/client/series-batch.ts'
import { serviceCoreAbi } from '../../src/protocol/contracts/abi.ts'

test('as many series are asked for together as a node returns, by the words that each of them has', () => {
  expect(SERIES_BATCH_BYTES / 36).toBe(42)
  const getSeries = serviceCoreAbi.find((item) => item.type === 'function' && item.name === 'getSeries')
  expect(getSeries).toMatchObject({ outputs: [{ components: { length: 14 } }] })
})
