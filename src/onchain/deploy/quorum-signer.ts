import { quorumSignerAbi } from '@rfqctl/protocol/contracts/abi'
import type { Address, Hex } from '@rfqctl/protocol/domain/units'
import {
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  encodeDeployData,
  type LocalAccount,
  type PublicClient,
} from 'viem'
import { isCodeOf, readArtifact } from './artifact.ts'
import { proxiedAddress, proxiedCall } from './proxy.ts'
import { DeploymentError } from './record.ts'

/** Keys, of which `threshold` sign together. */
export type SignerQuorum = { keys: readonly Address[]; threshold: number }

/**
 * An account that signs resolutions: none, a key, a contract that names its keys, or another contract. `isOurs`: its code is
 * that of `QuorumSigner`, so that its keys never change.
 */
export type SignerAccount =
  | { kind: 'none' }
  | { kind: 'key' }
  | { kind: 'contract' }
  | ({ kind: 'quorum'; isOurs: boolean } & SignerQuorum)

/** Most gas: some 500,000 for three keys, and 22,000 for each further one. */
const GAS = 1_000_000n

const creationOf = ({ keys, threshold }: SignerQuorum): Hex =>
  encodeDeployData({
    abi: quorumSignerAbi,
    bytecode: readArtifact('QuorumSigner').bytecode,
    args: [ascending(keys), BigInt(threshold)],
  })

const ascending = (keys: readonly Address[]): Address[] => keys.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))

/** The one address at which a contract of these keys is, on every chain with the deployment proxy. */
export const quorumAddress = (quorum: SignerQuorum): Address => proxiedAddress(0, creationOf(quorum))

/**
 * Creates the contract of these keys where it is not there yet, and returns its address. Can be repeated after an
 * interruption. Rejects with `DeploymentError`.
 */
export async function createQuorum(
  client: PublicClient,
  { account, quorum, onSent }: { account: LocalAccount; quorum: SignerQuorum; onSent: (hash: Hex) => void },
): Promise<Address> {
  const address = quorumAddress(quorum)
  if ((await client.getCode({ address })) !== undefined) return address
  const [nonce, fees, chainId] = await Promise.all([
    client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
    client.estimateFeesPerGas(),
    client.getChainId(),
  ])
  const transaction = {
    type: 'eip1559',
    chainId,
    nonce,
    ...proxiedCall(0, creationOf(quorum)),
    gas: GAS,
    ...fees,
  } as const
  const hash = await client.sendRawTransaction({
    serializedTransaction: await account.signTransaction(transaction),
  })
  onSent(hash)
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success' || (await client.getCode({ address })) === undefined) {
    throw new DeploymentError('reverted', `transaction ${hash} created no signer contract at ${address}`)
  }
  return address
}

/** Reads the kind of an account that signs. Rejects if the node fails. */
export async function readSigner(
  client: Pick<PublicClient, 'getCode' | 'readContract'>,
  address: Address,
): Promise<SignerAccount> {
  if (BigInt(address) === 0n) return { kind: 'none' }
  const code = (await client.getCode({ address })) ?? '0x'
  // A key that lent its account to a contract (EIP-7702) is still a key.
  if (code === '0x' || code.startsWith('0xef0100')) return { kind: 'key' }
  const contract = { address, abi: quorumSignerAbi } as const
  try {
    const [keys, threshold] = await Promise.all([
      client.readContract({ ...contract, functionName: 'getOwners' }),
      client.readContract({ ...contract, functionName: 'getThreshold' }),
    ])
    const isAscending = ascending(keys).every((key, index) => key === keys[index]) && new Set(keys).size === keys.length
    const isOurs = isAscending && isCodeOf(readArtifact('QuorumSigner'), code)
    return { kind: 'quorum', isOurs, keys, threshold: Number(threshold) }
  } catch (fault) {
    if (isRevert(fault)) return { kind: 'contract' }
    throw fault
  }
}

function isRevert(fault: unknown): boolean {
  if (!(fault instanceof ContractFunctionExecutionError)) return false
  const isOne = (error: unknown): boolean =>
    error instanceof ContractFunctionRevertedError || error instanceof ContractFunctionZeroDataError
  return fault.walk(isOne) !== null
}
