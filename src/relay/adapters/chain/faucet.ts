import { testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { RfqError } from '@rfqctl/protocol/domain/errors'
import { type Address, type Hex, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { encodeFunctionData, keccak256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainEnvironment, Faucet } from '../../core/ports/chain.ts'
import { createLimiter, type Limits } from './limiter.ts'
import { describeFault, isTransportFault, type Rpc, revertName } from './rpc.ts'

type GiveGas = (wallet: Address) => Promise<void>

/** Runs a payment while no other process makes one from the same wallet. */
type WithLock = (work: () => Promise<Hex>) => Promise<Hex>

type Payment = 'mint' | 'transfer'

/** Payments are sequential and anyone may ask for one, so the queue is bounded in number and time. */
const LINE: Limits = { atWork: 1, waiting: 512, waitMs: 30_000 }

/** Not every stablecoin has roles; one without them is paid out of the faucet's own balance. */
const TRANSFER_ABI = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

/**
 * Pays stablecoin from the key's wallet: minted when the wallet is a minter of it, else transferred. Payments are
 * sequential, each with the nonce that the node expects next, so that a failed one leaves no gap; `withLock` excludes
 * other payers from the same wallet. On a private chain `giveGas` comes first: dollars alone cannot be traded. Refuses
 * with `chain_unavailable` when the node cannot be reached or too many wait, and with `faucet_unavailable` when the
 * node or the token refuses.
 */
export function createFaucet(parts: {
  rpc: Rpc
  environment: Pick<ChainEnvironment, 'chainId' | 'stablecoinAddress'>
  privateKey: Hex
  withLock?: WithLock
  giveGas?: GiveGas
}): Faucet {
  const { rpc, environment, privateKey, withLock = (work) => work(), giveGas = async () => {} } = parts
  const { chainId, stablecoinAddress } = environment
  const account = privateKeyToAccount(privateKey)
  let payment: Payment | null = null
  const inTurn = createLimiter(LINE)

  async function readPayment(): Promise<Payment> {
    const stablecoin = { address: stablecoinAddress, abi: testUsdAbi } as const
    return rpc.read(async (client) => {
      try {
        const role = await client.readContract({ ...stablecoin, functionName: 'MINTER_ROLE' })
        const args = [role, account.address] as const
        return (await client.readContract({ ...stablecoin, functionName: 'hasRole', args })) ? 'mint' : 'transfer'
      } catch (fault) {
        if (revertName(fault) === null) throw fault
        return 'transfer'
      }
    })
  }

  async function pay(wallet: Address, amount: Usd6): Promise<Hex> {
    payment ??= await readPayment()
    const args = [wallet, amount] as const
    const data =
      payment === 'mint'
        ? encodeFunctionData({ abi: testUsdAbi, functionName: 'mint', args })
        : encodeFunctionData({ abi: TRANSFER_ABI, functionName: 'transfer', args })
    const call = { to: stablecoinAddress, data }
    const [nonce, gas, fees] = await Promise.all([
      rpc.client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      rpc.client.estimateGas({ account: account.address, ...call }),
      rpc.client.estimateFeesPerGas(),
    ])
    const signed = await account.signTransaction({ ...call, chainId, nonce, gas, ...fees })
    return sendOnce(signed)
  }

  /** A send whose answer was lost may have arrived; reporting a failure would lead to a second payment. */
  async function sendOnce(serializedTransaction: Hex): Promise<Hex> {
    const hash = keccak256(serializedTransaction)
    try {
      return await rpc.client.sendRawTransaction({ serializedTransaction })
    } catch (fault) {
      const arrived = await rpc.client.getTransaction({ hash }).then(
        () => true,
        () => false,
      )
      if (arrived) return hash
      throw fault
    }
  }

  return {
    async balance() {
      try {
        payment ??= await readPayment()
        if (payment === 'mint') return null
        const args = [account.address] as const
        const call = { address: stablecoinAddress, abi: testUsdAbi, functionName: 'balanceOf', args } as const
        return usd6(await rpc.read((client) => client.readContract(call)))
      } catch (fault) {
        return refuse(fault)
      }
    },
    send(wallet, amount) {
      const give = async () => {
        await giveGas(wallet)
        return pay(wallet, amount)
      }
      return inTurn(() => withLock(give)).catch(refuse)
    },
  }
}

function refuse(fault: unknown): never {
  if (fault instanceof RfqError) throw fault
  throw new RfqError(isTransportFault(fault) ? 'chain_unavailable' : 'faucet_unavailable', {
    cause: describeFault(fault),
  })
}
