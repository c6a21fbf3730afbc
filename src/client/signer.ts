import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import {
  type Account,
  type Chain,
  custom,
  defineChain,
  type EIP1193Provider,
  type Transport,
  type TypedDataDefinition,
  type WalletClient,
} from 'viem'
import { parseAccount } from 'viem/utils'
import { type ChainWriter, createChainWriter } from './chain-client.ts'
import { ClientSetupError, WalletError } from './errors.ts'
import type { ChainSetup } from './wallet.ts'

/**
 * Signs and sends: a local account of viem, the address of one that the chain's transport signs for, a wallet client of viem,
 * or a page's injected wallet (EIP-1193).
 */
export type Signer = Account | Address | WalletClient | EIP1193Provider

/** A signer of any kind whose account is known. Every call rejects with `WalletError` where the wallet or its owner refuses. */
export type ConnectedSigner = {
  address: Address
  /** The account in viem's terms, as calls are tried for it. */
  account: Account
  /** Transport of its own wallet; undefined where it has none. */
  transport: Transport | undefined
  /** Signs EIP-712 typed data. */
  signTypedData: (typedData: TypedDataDefinition) => Promise<Hex>
  /** Sends a contract call, as `simulateContract` of viem has prepared it, and returns its hash. */
  writeContract: (request: object) => Promise<Hex>
  /** Sends a transaction of exactly these fields and returns its hash. */
  sendTransaction: (transaction: object) => Promise<Hex>
}

/** Chain settings that a signer needs. */
type SignerSetup = Pick<ChainSetup, 'chainId' | 'transport'>

/** Chain of a setup, in viem's terms. */
export const chainOf = ({ chainId }: Pick<ChainSetup, 'chainId'>): Chain =>
  defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  })

/**
 * Finds the account of a signer, and checks that its wallet, if any, is on the chain. A wallet that shows no account asks its owner for
 * one.
 */
export async function connectSigner(signer: Signer, setup: SignerSetup | undefined): Promise<ConnectedSigner> {
  if (!isClientOrProvider(signer)) return signerOf(signer, setup)
  const client: ChainWriter = 'writeContract' in signer ? signer : createChainWriter({ transport: custom(signer) })
  const account = client.account ?? parseAccount(await askForAccount(client))
  // Reads are tried again by the client itself.
  const transport = custom(client, { retryCount: 0 })
  if (setup !== undefined) await assertChain(client, setup)
  return connected({ account, client, transport, setup })
}

/** The signer of an account that is known: its key signs, or the transport of the chain does. */
export function signerOf(account: Account | Address, setup: SignerSetup | undefined): ConnectedSigner {
  const owner = parseAccount(account)
  const transport = setup?.transport
  const client = transport === undefined ? null : createChainWriter({ account: owner, transport })
  return connected({ account: owner, client, transport: undefined, setup })
}

/** Whether the chain can be reached, by the transport of a setup or by the wallet of the signer. */
export const reachesChain = (signer: Signer, { transport }: ChainSetup): boolean =>
  transport !== undefined || isClientOrProvider(signer)

/** Whether a signer can sign: an address alone cannot, unless the transport of the chain signs for it. */
export const canSign = (signer: Signer, setup: SignerSetup | undefined): boolean =>
  setup?.transport !== undefined ||
  isClientOrProvider(signer) ||
  (typeof signer === 'object' && signer.type === 'local')

/** The address of a signer where it is known without asking a wallet; else null. */
export function addressOf(signer: Signer): Address | null {
  if (!isClientOrProvider(signer)) return parseAccount(signer).address
  return 'writeContract' in signer ? (signer.account?.address ?? null) : null
}

const isClientOrProvider = (signer: Signer): signer is WalletClient | EIP1193Provider =>
  typeof signer === 'object' && 'request' in signer

function connected(input: {
  account: Account
  client: ChainWriter | null
  transport: Transport | undefined
  setup: SignerSetup | undefined
}): ConnectedSigner {
  const { account, client, transport, setup } = input
  const isRemote = account.type !== 'local'

  /** The client that sends, on the chain that is meant: a wallet may be switched to another at any time. */
  async function ready(): Promise<{ client: ChainWriter; chain: Chain }> {
    if (client === null || setup === undefined) throw new ClientSetupError('The chain was set up without a transport.')
    if (isRemote) await assertChain(client, setup)
    return { client, chain: chainOf(setup) }
  }

  async function signTypedData(typedData: TypedDataDefinition): Promise<Hex> {
    if (account.type === 'local') return account.signTypedData(typedData)
    return (await ready()).client.signTypedData({ ...typedData, account })
  }

  const send = (how: (on: Awaited<ReturnType<typeof ready>>) => Promise<Hex>): Promise<Hex> =>
    toldByWallet(ready().then(how), account.address)

  // viem infers its requests from one another's exact types, which are lost between here and there.
  return {
    address: account.address,
    account,
    transport,
    signTypedData: (typedData) => toldByWallet(signTypedData(typedData), account.address),
    writeContract: (request) =>
      send(({ client, chain }) => client.writeContract({ ...request, account, chain } as never)),
    sendTransaction: (transaction) =>
      send(({ client, chain }) => client.sendTransaction({ ...transaction, account, chain } as never)),
  }
}

/** A wallet shows accounts that its owner has let this page see, and else asks the owner. */
async function askForAccount(client: ChainWriter): Promise<Address> {
  const [shown] = await toldByWallet(client.getAddresses(), null)
  if (shown !== undefined) return shown
  const [chosen] = await toldByWallet(client.requestAddresses(), null)
  if (chosen === undefined) throw noAccount(null)
  return chosen
}

async function assertChain(client: ChainWriter, { chainId }: SignerSetup): Promise<void> {
  const found = await client.getChainId()
  if (found === chainId) return
  const hint = `Switch the wallet to chain ${chainId} and call again.`
  const message = `The wallet is on chain ${found}, not on chain ${chainId}.`
  throw new WalletError(message, { code: 'wallet_wrong_chain', hint })
}

/** EIP-1193's code for a refusal by a wallet or its owner, and the code of CAIP-25, which WalletConnect uses. */
const REJECTED = [4_001, 5_000]
const UNAUTHORIZED = 4_100

/**
 * Maps a refusal by a wallet's owner, or by the wallet for lack of the owner's permission, to `WalletError`; other faults stay unchanged.
 */
async function toldByWallet<Value>(answer: Promise<Value>, address: Address | null): Promise<Value> {
  try {
    return await answer
  } catch (fault) {
    const codes = codesOf(fault)
    if (codes.some((code) => REJECTED.includes(code))) throw rejected(fault)
    if (codes.includes(UNAUTHORIZED)) throw noAccount(address, fault)
    throw fault
  }
}

/** The codes in an error and its causes. */
function codesOf(fault: unknown): number[] {
  const codes: number[] = []
  const seen = new Set<unknown>()
  for (let error = fault; typeof error === 'object' && error !== null && !seen.has(error); ) {
    const { code, cause } = error as { code?: unknown; cause?: unknown }
    if (typeof code === 'number') codes.push(code)
    seen.add(error)
    error = cause
  }
  return codes
}

const rejected = (cause: unknown): WalletError =>
  new WalletError('The owner of the wallet rejected the request.', {
    code: 'wallet_rejected',
    hint: 'Try again, and approve the request in the wallet.',
    cause,
  })

const noAccount = (address: Address | null, cause?: unknown): WalletError =>
  new WalletError(`The wallet gives no access to ${address === null ? 'any account' : `the account ${address}`}.`, {
    code: 'wallet_no_account',
    hint: 'Unlock the wallet, connect the account to this page, and call again.',
    cause,
  })
