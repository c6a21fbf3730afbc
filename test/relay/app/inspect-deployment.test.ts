import { describe, expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/errors/describe-failure.ts'
import { readArtifact } from '../../../src/onchain/deploy/artifact.ts'
import type { Hex } from '../../../src/protocol/domain/units.ts'
import { createRpc } from '../../../src/relay/adapters/chain/rpc.ts'
import { createViemChain } from '../../../src/relay/adapters/chain/viem.ts'
import { createResolutionSigner } from '../../../src/relay/adapters/signing.ts'
import { inspectDeployment } from '../../../src/relay/app/inspect-deployment.ts'
import { createFakeLog } from '../../support/fake-log.ts'
import { createFakeDeployment } from '../adapters/chain/fake-deployment.ts'
import { CORE, ENVIRONMENT, SIGNER_CONTRACT } from '../adapters/chain/fake-node.ts'

const KEY: Hex = `0x${'7a'.repeat(32)}`
const resolutionSigner = createResolutionSigner(KEY)

function inspected(active = resolutionSigner.address) {
  const node = createFakeDeployment(active)
  const rpc = createRpc(node.transport, async () => {})
  const chain = createViemChain({ rpc, environment: ENVIRONMENT, tradingCutoffS: 0, cacheMs: 0, now: () => 0 })
  const log = createFakeLog()
  const inspect = (isProduction: boolean, signer: typeof resolutionSigner | null = resolutionSigner) =>
    inspectDeployment({ rpc, chain, resolutionSigner: signer, isProduction, log })
  return { node, log, inspect }
}

describe('a deployment by another party', () => {
  it.each([true, false])(
    'is served when it is ours and takes what the relay signs; production: %s',
    async (isProduction) => {
      const { log, inspect } = inspected()
      await inspect(isProduction)
      expect(log.lines).toEqual([])
    },
  )

  it.each([true, false])(
    'with other code, as by a former version, ends the start with exit code 8 and says what to do; production: %s',
    async (isProduction) => {
      const { node, inspect } = inspected()
      node.codes.set(CORE, `${readArtifact('ServiceCore').deployedBytecode.slice(0, -2)}00` as Hex)
      const failure = describeFailure(await inspect(isProduction).catch((fault: unknown) => fault))
      expect(failure).toMatchObject({ code: 'chain_mismatch', exitCode: 8 })
      expect(failure.message).toContain(`the code at ${CORE} is not ServiceCore`)
      expect(failure.hint).toContain('rfqctl chain deploy')
    },
  )

  it('that takes what another key signs does so, too', async () => {
    const { inspect } = inspected(SIGNER_CONTRACT)
    const failure = describeFailure(await inspect(true).catch((fault: unknown) => fault))
    expect(failure).toMatchObject({ code: 'signer_not_in_office', exitCode: 8 })
    expect(failure.message).toContain(resolutionSigner.address)
    expect(failure.message).toContain(SIGNER_CONTRACT)
  })

  it('is served when the active signer is a contract that takes what the relay signs', async () => {
    const { node, log, inspect } = inspected(SIGNER_CONTRACT)
    node.answers.set(`${SIGNER_CONTRACT}.isValidSignature`, { value: '0x1626ba7e' })
    await inspect(true)
    expect(log.lines).toEqual([])
    node.answers.set(`${SIGNER_CONTRACT}.isValidSignature`, { value: '0xffffffff' })
    await expect(inspect(true)).rejects.toMatchObject({ code: 'signer_not_in_office' })
  })

  it('that takes what another key signs is warned of where nothing is at stake', async () => {
    const { log, inspect } = inspected(SIGNER_CONTRACT)
    await inspect(false)
    expect(log.lines.map(({ event }) => event)).toEqual(['signer_not_in_office'])
  })

  it('needs no signer', async () => {
    const { log, inspect } = inspected(SIGNER_CONTRACT)
    await inspect(true, null)
    expect(log.lines).toEqual([])
  })
})
