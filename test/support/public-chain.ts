import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { parseAbi, parseEther } from 'viem'
import { onTestFinished } from 'vitest'
import { findAnvilBinary } from '../../src/onchain/devnet/anvil.ts'
import { createDevClient, type DevClient } from '../../src/onchain/devnet/client.ts'
import type { Address } from '../../src/protocol/domain/units.ts'
import { spawnProgram } from '../kit/child.ts'
import { deployPublished } from './wallets/bytecode.ts'
import { deployUsdc } from './wallets/usdc.ts'
import { type Call, call, sendCalls } from './wallets/wallet.ts'

/** A chain that is no one's sandbox: another id, blocks at a pace of its own, no account with coin, and Circle's dollar. */
export type PublicChain = {
  rpcUrl: string
  chainId: number
  dev: DevClient
  usdc: Address
  /** A contract without a key, to own the core: what it sends, a test sends for it. */
  multisig: Address
  fund: (wallet: Address) => Promise<void>
  mint: (wallet: Address, amount: bigint) => Promise<void>
  dollarsOf: (wallet: Address) => Promise<bigint>
  /** Makes calls of a contract, as if its signers had signed. */
  sendAs: (from: Address, calls: readonly Call[]) => Promise<void>
}

const USDC_ABI = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
])

/** Who made everything that is there already: the issuer of the dollar, and of the code of wallets. */
const ISSUER: Address = '0x1111111111111111111111111111111111111111'

/** Starts the chain, for as long as the test runs. A block comes each second, and is final two later. */
export async function startPublicChain(): Promise<PublicChain> {
  const chainId = randomInt(1_000_000, 2_000_000_000)
  const rpcUrl = await startBareAnvil(chainId)
  const dev = createDevClient(rpcUrl)
  const fund = (wallet: Address) => dev.setBalance({ address: wallet, value: parseEther('10') })
  await fund(ISSUER)
  await dev.setAutomine(true)
  const usdc = await deployUsdc(dev, { owner: ISSUER, minter: ISSUER })
  const multisig = await deployPublished(dev, { name: 'Safe', from: { address: ISSUER } })
  await fund(multisig)
  await dev.setIntervalMining({ interval: 1 })
  const sendAs: PublicChain['sendAs'] = (from, calls) => sendCalls(dev, from, calls)
  return {
    rpcUrl,
    chainId,
    dev,
    usdc,
    multisig,
    fund,
    mint: (wallet, amount) => sendAs(ISSUER, [call(usdc, USDC_ABI, 'mint', [wallet, amount])]),
    dollarsOf: (wallet) =>
      dev.readContract({ address: usdc, abi: USDC_ABI, functionName: 'balanceOf', args: [wallet] }),
    sendAs,
  }
}

async function startBareAnvil(chainId: number): Promise<string> {
  const flags = ['--port', '0', '--accounts', '0', '--chain-id', `${chainId}`, '--auto-impersonate', '--no-cors']
  const anvil = [findAnvilBinary(), ...flags, '--hardfork', 'prague', '--slots-in-an-epoch', '1']
  const child = spawnProgram(anvil, { cwd: tmpdir(), env: {} })
  onTestFinished(() => child.signal('SIGTERM'))
  const listening = /Listening on \S+:(\d+)/
  await child.says(listening)
  return `http://127.0.0.1:${listening.exec(child.stdout() + child.stderr())?.[1]}`
}
