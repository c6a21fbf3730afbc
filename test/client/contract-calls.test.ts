import { decodeFunctionData, zeroAddress } from 'viem'
import { expect, it, test } from 'vitest'
import { abiOf, createContractCalls } from '../../src/client/contract-calls.ts'
import { createSafeBatch } from '../../src/client/safe-batch.ts'
import { contracts, type ResolutionBps, type StrikeBps, usd6 } from '../../src/protocol/domain/units.ts'

const coreAddress = '0x1000000000000000000000000000000000000002'
const settlementAddress = '0x1000000000000000000000000000000000000001'
const wallet = '0x3000000000000000000000000000000000000003'
const calls = createContractCalls({ settlementAddress, coreAddress })
const seriesId = '77'
const CONDITION = `0x${'7e'.repeat(32)}` as const
const terms = {
  conditionId: CONDITION,
  yesTokenId: '7',
  strikeBps: 4_500 as StrikeBps,
  expiry: 1_800_000_000,
  optionType: 'put',
} as const
const prepared = {
  attestation: { seriesId, resolutionBps: 59 as ResolutionBps, validUntil: 1_800_000_000 },
  signature: '0x01',
} as const

it.each([
  [
    calls.closePosition({ seriesId, amount: contracts(5n), to: wallet }),
    coreAddress,
    'closePosition',
    [77n, 5n, wallet],
  ],
  [calls.setHalted({ seriesIds: ['1', '2'], isHalted: true }), coreAddress, 'setHalted', [[1n, 2n], true]],
  [calls.proposeManual({ seriesId, resolutionBps: 59 as ResolutionBps }), coreAddress, 'proposeManual', [77n, 59]],
  [calls.acceptRole({ role: 'signer' }), coreAddress, 'confirmRole', [2]],
  [calls.setRegistrar({ account: null }), coreAddress, 'setRole', [3, zeroAddress]],
  [calls.setHalter({ account: wallet }), coreAddress, 'setRole', [4, wallet]],
  [calls.setDefaultCap({ cap: usd6(250_000_000_000n) }), coreAddress, 'setDefaultCap', [250_000_000_000n]],
  [calls.vetoManual({ seriesId }), coreAddress, 'vetoManual', [77n]],
  [calls.settleSeries({ prepared }), coreAddress, 'settleWithAttestation', [77n, 59, 1_800_000_000n, '0x01']],
  [calls.createSeries({ terms }), coreAddress, 'createSeries', [CONDITION, 7n, zeroAddress, 4_500, 1_800_000_000n, 1]],
  [
    calls.createSeries({ terms, collateral: wallet }),
    coreAddress,
    'createSeries',
    [CONDITION, 7n, wallet, 4_500, 1_800_000_000n, 1],
  ],
  [
    calls.settleFromCondition({ terms }),
    coreAddress,
    'settleFromCondition',
    [{ conditionId: CONDITION, yesClobTokenId: 7n, shape: 4_500n, expiry: 1_800_000_000n, kind: 1 }],
  ],
  [calls.cancelNonces({ first: 3, last: 700 }), settlementAddress, 'cancelNonceRange', [3n, 700n]],
  [
    calls.authorizeSigner({ signer: wallet, until: 1_800_000_000 }),
    settlementAddress,
    'authorizeSigner',
    [wallet, 1_800_000_000n],
  ],
  [calls.revokeSigner({ signer: wallet }), settlementAddress, 'revokeSigner', [wallet]],
  [calls.cancelNonce({ nonce: 2 ** 40 }), settlementAddress, 'cancelNonce', [2n ** 40n]],
  [calls.revokeAllSigners(), settlementAddress, 'revokeAllSigners', undefined],
  [calls.withdrawAcceptance(), coreAddress, 'useNonce', undefined],
])('a call says whom it is for and carries what it says: %#', (call, to, functionName, args) => {
  expect(call).toMatchObject({ to, functionName, args: args ?? [] })
  expect(decodeFunctionData({ abi: abiOf(call), data: call.data })).toEqual({ functionName, args })
})

test('a batch is what the Transaction Builder of Safe exports, with the checksum that it computes', () => {
  // What safe-react-apps computes in apps/tx-builder/src/lib/checksum.ts, by its own code.
  const batch = createSafeBatch({
    chainId: 137,
    safe: wallet,
    name: 'halt 2 series',
    calls: [calls.setHalted({ seriesIds: ['1', '2'], isHalted: true })],
    createdAt: 1_795_379_049_090,
  })
  expect(batch).toMatchObject({ version: '1.0', chainId: '137', meta: { createdFromSafeAddress: wallet } })
  expect(batch.transactions).toEqual([
    {
      to: coreAddress,
      value: '0',
      data: expect.stringMatching(/^0xd7c4053c/),
      contractMethod: null,
      contractInputsValues: null,
    },
  ])
  expect(batch.meta.checksum).toBe('0xa564ab034ed1960b6926d11c3f932fa3f09db8ca553fae5f11952c3a5ba6b3e6')
})
