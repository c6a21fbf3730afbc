import { toHex, zeroAddress } from 'viem'
import { readArtifact } from '../../../../src/onchain/deploy/artifact.ts'
import type { Address } from '../../../../src/protocol/domain/units.ts'
import { rpc } from '../../../kit/plays.ts'
import { type HttpServer, httpServer } from '../../../kit/server.ts'
import { CORE, createFakeNode, type FakeNode, SETTLEMENT, SIGNER_CONTRACT, STABLECOIN } from './fake-node.ts'

/** A node with the contracts of this version, whose core takes attestations of an address. */
export function createFakeDeployment(signer: Address): FakeNode {
  const node = createFakeNode(Math.floor(Date.now() / 1_000))
  node.codes.set(CORE, readArtifact('ServiceCore').deployedBytecode)
  node.codes.set(SETTLEMENT, readArtifact('ServiceRFQSettlement').deployedBytecode)
  node.answers.set(`${CORE}.stablecoin`, { value: STABLECOIN })
  node.answers.set(`${CORE}.settlement`, { value: SETTLEMENT })
  node.answers.set(`${CORE}.resolutionSigner`, { value: signer })
  node.answers.set(`${SIGNER_CONTRACT}.isValidSignature`, { raw: '0x' })
  node.answers.set(`${SETTLEMENT}.core`, { value: CORE })
  node.answers.set(`${SETTLEMENT}.stablecoin`, { value: STABLECOIN })
  node.methods.set('eth_blockNumber', () => toHex(node.head()))
  node.methods.set('web3_clientVersion', () => 'Geth/v1.16.0')
  node.answers.set(`${CORE}.holderOf`, ([role]) => ({
    value: [SETTLEMENT, STABLECOIN, signer, zeroAddress, zeroAddress][Number(role)],
  }))
  node.answers.set(`${CORE}.pendingRole`, { value: [zeroAddress, 0n, 0n] })
  node.answers.set(`${CORE}.DISPUTE_WINDOW`, { value: 7_200n })
  node.answers.set(`${CORE}.TRADING_CUTOFF`, { value: 0n })
  node.answers.set(`${CORE}.conditionalTokens`, { value: zeroAddress })
  node.answers.set(`${CORE}.defaultCap`, { value: 0n })
  return node
}

/** A node on a port of this machine, until the test ends. */
export const serveNode = (node: FakeNode): Promise<HttpServer> => httpServer(rpc(node.answer))
