import { createWalletClient, custom, type EIP1193Provider, type Hex, type TypedDataDefinition } from 'viem'
import type { LocalAccount } from 'viem/accounts'

export type FakeWallet = {
  provider: EIP1193Provider
  asked: string[]
  chainId: number
  /** Whether its owner has let the page see its account. */
  isConnected: boolean
  /** What its owner does with what must be approved. */
  answers: 'approves' | 'rejects' | 'has no right' | 'breaks'
}

type RpcTransaction = { to: Hex; data: Hex } & Partial<
  Record<'nonce' | 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas', Hex>
>

type Asked = { method: string; params?: readonly unknown[] }

/** What is in front of an owner before it is done. */
const ASKS_OWNER = ['eth_requestAccounts', 'eth_signTypedData_v4', 'eth_sendTransaction']

/**
 * A wallet as a page is given one (EIP-1193): it has one account, which its owner shows when asked, signs what its owner approves,
 * and passes everything else on to its node.
 */
export function createFakeWallet({
  account,
  chainId,
  node = async ({ method }) => Promise.reject(new Error(`the node was asked for ${method}`)),
}: {
  account: LocalAccount
  chainId: number
  node?: (asked: Asked) => Promise<unknown>
}): FakeWallet {
  const wallet: FakeWallet = {
    provider: { request, on: () => {}, removeListener: () => {} } as unknown as EIP1193Provider,
    asked: [],
    chainId,
    isConnected: false,
    answers: 'approves',
  }

  async function request({ method, params = [] }: Asked): Promise<unknown> {
    wallet.asked.push(method)
    if (ASKS_OWNER.includes(method)) refuse()
    if (method === 'eth_chainId') return `0x${wallet.chainId.toString(16)}`
    if (method === 'eth_requestAccounts') wallet.isConnected = true
    if (method.endsWith('ccounts')) return wallet.isConnected ? [account.address.toLowerCase()] : []
    if (method === 'eth_signTypedData_v4') {
      const { domain, types, primaryType, message } = JSON.parse(String(params[1])) as TypedDataDefinition
      return account.signTypedData({ domain, types, primaryType, message } as TypedDataDefinition)
    }
    if (method === 'eth_sendTransaction') return send(params[0] as RpcTransaction)
    return node({ method, params })
  }

  /** Fees and nonce that a page does not name are the wallet's to find. */
  async function send({ to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }: RpcTransaction): Promise<Hex> {
    const client = createWalletClient({ account, transport: custom({ request: node }) })
    return client.sendTransaction({
      chain: null,
      to,
      data,
      ...(nonce === undefined ? {} : { nonce: Number(nonce) }),
      ...(gas === undefined ? {} : { gas: BigInt(gas) }),
      ...(maxFeePerGas === undefined ? {} : { maxFeePerGas: BigInt(maxFeePerGas) }),
      ...(maxPriorityFeePerGas === undefined ? {} : { maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }),
    })
  }

  function refuse(): void {
    if (wallet.answers === 'rejects') throw providerError(4_001, 'User denied the request.')
    if (wallet.answers === 'has no right') throw providerError(4_100, 'Not allowed.')
    if (wallet.answers === 'breaks') throw new Error('the wallet broke')
  }

  return wallet
}

/** An error as EIP-1193 has it: no class of its own, but a code. */
const providerError = (code: number, message: string) => Object.assign(new Error(message), { code })
