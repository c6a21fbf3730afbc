import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevClient } from '../../../src/onchain/devnet/client.ts'
import { type Devnet, startDevnet } from '../../../src/onchain/devnet/start.ts'
import { serviceCoreAbi } from '../../../src/protocol/contracts/abi.ts'
import { createAuthority } from '../../../src/relay/adapters/chain/authority-events.ts'
import { createRpc, httpTransport } from '../../../src/relay/adapters/chain/rpc.ts'

let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ dataDir: null, port: 0, seriesAt: () => [], onStep: () => {} })
})
afterAll(() => devnet.stop())

it('a core tells who holds its roles, and what the owner did once its block is final', async () => {
  const { deployer, resolutionSigner } = devnet.accounts
  const { coreAddress } = devnet.deployment
  const authority = createAuthority({ rpc: createRpc(httpTransport(devnet.rpcUrl)), coreAddress, startBlock: 0n })
  const { roles } = (await authority.read()).standing
  const holders = Object.fromEntries(roles.map(({ role, holder }) => [role, holder]))
  expect(holders).toMatchObject({ owner: deployer.address, resolution_signer: resolutionSigner.address })

  const client = createDevClient(devnet.rpcUrl)
  const hash = await client.writeContract({
    address: coreAddress,
    abi: serviceCoreAbi,
    account: deployer.address,
    functionName: 'setDefaultCap',
    args: [250_000_000_000n],
  })
  await client.waitForTransactionReceipt({ hash })
  await client.mine({ blocks: 80 })
  expect((await authority.read()).news).toMatchObject([{ kind: 'default_cap_changed', transactionHash: hash }])
})
