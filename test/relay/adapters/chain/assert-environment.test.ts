import { HttpRequestError } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { assertEnvironment } from '../../../../src/relay/adapters/chain/assert-environment.ts'
import { createRpc } from '../../../../src/relay/adapters/chain/rpc.ts'
import { CORE, createFakeNode, ENVIRONMENT, type FakeNode, SETTLEMENT, STABLECOIN } from './fake-node.ts'

describe('assertEnvironment', () => {
  let node: FakeNode
  const check = () =>
    assertEnvironment(
      createRpc(node.transport, async () => {}),
      ENVIRONMENT,
    )

  beforeEach(() => {
    node = createFakeNode()
    node.answers.set(`${CORE}.stablecoin`, { value: STABLECOIN })
    node.answers.set(`${CORE}.settlement`, { value: SETTLEMENT })
    node.answers.set(`${SETTLEMENT}.core`, { value: CORE })
    node.answers.set(`${SETTLEMENT}.stablecoin`, { value: STABLECOIN })
  })

  it('accepts the right chain with three contracts that name each other', async () => {
    await expect(check()).resolves.toBeUndefined()
  })

  it.each([1, 137])('refuses a node of chain %i', async (chainId) => {
    node.chainId = chainId
    await expect(check()).rejects.toMatchObject({
      name: 'ChainMismatchError',
      message: `The node serves chain ${chainId}, not chain 80002.`,
    })
  })

  it('refuses addresses without code, naming each', async () => {
    node.codes.delete(SETTLEMENT)
    await expect(check()).rejects.toThrow(
      `On chain 80002 there is no contract at the settlement address ${SETTLEMENT}.`,
    )
    node.codes.delete(CORE)
    await expect(check()).rejects.toThrow(`at the core address ${CORE} and the settlement address ${SETTLEMENT}.`)
  })

  it.each([
    [`${CORE}.stablecoin`, `The stablecoin of the core ${CORE} is ${CORE}, not ${STABLECOIN}.`],
    [`${CORE}.settlement`, `The settlement of the core ${CORE} is ${CORE}, not ${SETTLEMENT}.`],
    [`${SETTLEMENT}.stablecoin`, `The stablecoin of the settlement ${SETTLEMENT} is ${CORE}, not ${STABLECOIN}.`],
    [`${SETTLEMENT}.core`, `The core of the settlement ${SETTLEMENT} is ${STABLECOIN}, not ${CORE}.`],
  ])('refuses contracts where %s is another address', async (getter, message) => {
    node.answers.set(getter, { value: getter.endsWith('.core') ? STABLECOIN : CORE })
    await expect(check()).rejects.toThrow(message)
  })

  it.each([{ reverts: null }, { raw: '0x' } as const])('refuses a contract of another kind: %j', async (answer) => {
    node.answers.set(`${SETTLEMENT}.core`, answer)
    await expect(check()).rejects.toMatchObject({ name: 'ChainMismatchError' })
    await expect(check()).rejects.toThrow(`The core of the settlement ${SETTLEMENT} is unknown`)
  })

  it('does not take a node that is down for a wrong one', async () => {
    node.faults = [1, 2, 3].map(() => new HttpRequestError({ url: 'http://node' }))
    await expect(check()).rejects.toMatchObject({ code: 'chain_unavailable' })
  })
})
