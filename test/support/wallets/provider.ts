import { type EIP1193Provider, type Hex, hashTypedData, http, numberToHex, type TypedDataDefinition } from 'viem'
import { devnetChain } from '../../../src/onchain/devnet/client.ts'
import type { Call, TestWallet } from './wallet.ts'

/**
 * A wallet as a page is given it (EIP-1193): it signs and sends as itself, and passes every other call on to the node. So do
 * Safe's and other wallets by WalletConnect.
 */
export function providerOf(wallet: TestWallet, rpcUrl: string): EIP1193Provider {
  const node = http(rpcUrl)({ chain: devnetChain })
  const own: Record<string, (params: never) => unknown> = {
    eth_accounts: () => [wallet.address],
    eth_requestAccounts: () => [wallet.address],
    eth_chainId: () => numberToHex(devnetChain.id),
    eth_signTypedData_v4: ([, typedData]: readonly [unknown, string]) =>
      wallet.signHash(hashTypedData(JSON.parse(typedData) as TypedDataDefinition)),
    eth_sendTransaction: ([{ to, data }]: readonly [Call]): Promise<Hex> => wallet.send([{ to, data }]),
  }
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const answer = own[method]
    return answer === undefined ? node.request({ method, params } as never) : answer((params ?? []) as never)
  }
  return { request, on: () => {}, removeListener: () => {} } as unknown as EIP1193Provider
}
