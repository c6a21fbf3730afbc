import { type Abi, encodeFunctionData, type Hex, parseEther, parseGwei, zeroAddress } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import { serviceCoreAbi, serviceRfqSettlementAbi, testUsdAbi } from '../../src/protocol/contracts/abi.ts'
import { optionTypeNumber } from '../../src/protocol/domain/option.ts'
import type { Order } from '../../src/protocol/domain/order.ts'
import type { VanillaTerms } from '../../src/protocol/domain/series.ts'
import type { Address } from '../../src/protocol/domain/units.ts'
import { eventually } from './eventually.ts'
import type { OrderJson } from './maker.ts'
import type { Ready } from './relay-process.ts'

/** A call of a contract. */
type ContractCall = { address: string; abi: Abi | readonly unknown[]; functionName: string; args: readonly unknown[] }

type Attestation = { seriesId: string; resolutionBps: number; validUntil: number; signature: string }

/** The chain under a relay, which anyone may move. A wallet without its key is one that the chain acts as. */
export type TestChain = {
  client: DevClient
  /** The newest block's time, Unix seconds. */
  now: () => Promise<number>
  /** Gives a wallet gas, so that it can send. */
  giveGas: (wallet: Address) => Promise<void>
  /** Makes a call, and fails when it reverts. */
  send: (wallet: PrivateKeyAccount | Address, call: ContractCall) => Promise<void>
  mint: (to: Address, amount: bigint) => Promise<void>
  transfer: (from: PrivateKeyAccount, to: Address, amount: bigint) => Promise<void>
  /** Lets the core and the settlement draw all that a wallet has; one without its key gets gas for it. */
  approveAll: (wallet: PrivateKeyAccount | Address) => Promise<void>
  /** Registers a series as the owner of the core. */
  register: (terms: VanillaTerms) => Promise<void>
  /** Registers a series that expires in seconds, and waits until the chain says that it has. */
  registerExpired: (terms: Omit<VanillaTerms, 'expiry'>) => Promise<VanillaTerms>
  /** Settles a series as somebody whom nobody knows. */
  settle: (attestation: Attestation) => Promise<void>
  /** Fills an order as its taker. */
  fill: (taker: PrivateKeyAccount, order: Order | OrderJson, makerSignature: string) => Promise<void>
  optionsOf: (wallet: Address, seriesId: string) => Promise<bigint>
  /** Micro-dollars of a wallet. */
  dollarsOf: (wallet: Address) => Promise<bigint>
}

/** Where a chain is, and the contracts on it. */
export type ChainFacts = Pick<Ready, 'rpcUrl' | 'settlementAddress' | 'coreAddress' | 'stablecoinAddress'>

const ALL = 2n ** 255n
const GAS = 500_000n
/** Given, so that no call asks the node for them. */
const FEES = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: 0n }

/** Opens the chain of a relay, or of a devnet. */
export function openChain({ rpcUrl, settlementAddress, coreAddress, stablecoinAddress }: ChainFacts): TestChain {
  if (rpcUrl === null) throw new Error('this relay has no chain')
  const client = createDevClient(rpcUrl)
  const { deployer, faucet } = createDevAccounts()
  const now = async () => Number((await client.getBlock()).timestamp)

  /** Anvil has mined it by its answer; a client that polls for blocks would take the node from the relay under attack. */
  const receiptOf = (hash: Hex) =>
    client.getTransactionReceipt({ hash }).catch(() => client.waitForTransactionReceipt({ hash, pollingInterval: 200 }))

  const send: TestChain['send'] = async (account, { address, ...call }) => {
    const data = encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0])
    const hash = await sendAmongOthers(() =>
      client.sendTransaction({ account, chain: null, to: address as Address, data, gas: GAS, ...FEES }),
    )
    const { status } = await receiptOf(hash)
    if (status !== 'success') throw new Error(`${call.functionName} was reverted`)
  }
  const token = (account: PrivateKeyAccount | Address, functionName: string, ...args: unknown[]) =>
    send(account, { address: stablecoinAddress, abi: testUsdAbi, functionName, args })

  const core = { address: coreAddress as Address, abi: serviceCoreAbi } as const
  const giveGas: TestChain['giveGas'] = (address) => client.setBalance({ address, value: parseEther('1') })

  const register: TestChain['register'] = ({ conditionId, yesTokenId, strikeBps, expiry, optionType }) => {
    const terms = [strikeBps, BigInt(expiry), optionTypeNumber(optionType)]
    const args = [conditionId, BigInt(yesTokenId), zeroAddress, ...terms]
    return send(deployer.address, { ...core, functionName: 'createSeries', args })
  }

  /** A machine that is held back may take longer to register a series than that has to live: then it has to live longer. */
  const registerExpired: TestChain['registerExpired'] = async (terms) => {
    for (let leadS = 3; ; leadS *= 2) {
      const series = { ...terms, expiry: (await now()) + leadS }
      const isRegistered = await register(series).then(
        () => true,
        () => false,
      )
      if (isRegistered) {
        await eventually(now, (time) => time >= series.expiry)
        return series
      }
      if (leadS > 60) throw new Error('the series could not be registered')
    }
  }

  return {
    client,
    now,
    giveGas,
    send,
    mint: (to, amount) => token(faucet.address, 'mint', to, amount),
    transfer: (from, to, amount) => token(from, 'transfer', to, amount),
    approveAll: async (wallet) => {
      if (typeof wallet === 'string') {
        await client.impersonateAccount({ address: wallet })
        await giveGas(wallet)
      }
      for (const spender of [coreAddress, settlementAddress]) await token(wallet, 'approve', spender, ALL)
    },
    register,
    registerExpired,
    settle: async ({ seriesId, resolutionBps, validUntil, signature }) => {
      const anyone = privateKeyToAccount(generatePrivateKey())
      await giveGas(anyone.address)
      const args = [BigInt(seriesId), resolutionBps, BigInt(validUntil), signature]
      await send(anyone, { ...core, functionName: 'settleWithAttestation', args })
    },
    fill: (taker, order, makerSignature) =>
      send(taker, {
        address: settlementAddress,
        abi: serviceRfqSettlementAbi,
        functionName: 'fill',
        args: [order, makerSignature],
      }),
    optionsOf: (wallet, seriesId) =>
      client.readContract({ ...core, functionName: 'balanceOf', args: [wallet, BigInt(seriesId)] }),
    dollarsOf: (wallet) =>
      client.readContract({
        address: stablecoinAddress as Address,
        abi: testUsdAbi,
        functionName: 'balanceOf',
        args: [wallet],
      }),
  }
}

/** The node picks the nonce: of two processes that ask it at the same moment, one must ask again. */
async function sendAmongOthers<Hash>(ask: () => Promise<Hash>): Promise<Hash> {
  for (;;) {
    try {
      return await ask()
    } catch (fault) {
      if (!/nonce too low|underpriced|already imported/i.test(String(fault))) throw fault
    }
  }
}
