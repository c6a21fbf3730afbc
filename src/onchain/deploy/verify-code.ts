import type { Address } from '@rfqctl/protocol/domain/units'
import { getAddress, type Hex, hexToBigInt, type PublicClient, slice } from 'viem'
import { type ContractName, isCodeOf, readArtifact } from './check-deployment.ts'
import { compareCode, type Expected } from './compare-code.ts'
import { readDecimals } from './preflight.ts'

/** The code at an address beside this version's; `faults` are sentences, empty if every byte is the same. */
export type VerifiedCode = { name: ContractName; address: Address; bytes: number; faults: readonly string[] }

export type CodeReport = {
  contracts: readonly VerifiedCode[]
  /** The deployer's permanent choices: seconds, and the contract of the last resort. Null if the core is not ours. */
  chosen: { disputeWindow: number; conditionalTokens: Address | null } | null
  /** A stablecoin that is not ours, whose code is not compared; null if it is ours or unknown. */
  foreignStablecoin: { address: Address; faults: readonly string[] } | null
}

/** Compares the code at every address of a deployment with the artifacts, byte by byte. Rejects if the node fails. */
export async function verifyCode(client: PublicClient, expected: Expected): Promise<CodeReport> {
  const { coreAddress, settlementAddress, stablecoinAddress } = expected
  const codeOf = async (address: Address): Promise<Hex> => (await client.getCode({ address })) ?? '0x'
  const [coreCode, settlementCode, stablecoinCode] = await Promise.all([
    codeOf(coreAddress),
    codeOf(settlementAddress),
    stablecoinAddress === null ? null : codeOf(stablecoinAddress),
  ])
  const core = compareCode('ServiceCore', coreCode, expected)
  const isOurs = stablecoinCode !== null && isCodeOf(readArtifact('TestUSD'), stablecoinCode)
  const compared = (name: ContractName, address: Address, code: Hex): VerifiedCode => {
    const { bytes, faults } = compareCode(name, code, expected)
    return { name, address, bytes, faults }
  }
  return {
    contracts: [
      compared('ServiceCore', coreAddress, coreCode),
      compared('ServiceRFQSettlement', settlementAddress, settlementCode),
      ...(isOurs && stablecoinAddress !== null ? [compared('TestUSD', stablecoinAddress, stablecoinCode)] : []),
    ],
    chosen: core.faults.length > 0 ? null : chosenOf(core.chosen),
    foreignStablecoin:
      isOurs || stablecoinAddress === null || stablecoinCode === null
        ? null
        : { address: stablecoinAddress, faults: await foreignFaults(client, stablecoinAddress, stablecoinCode) },
  }
}

const chosenOf = ({ DISPUTE_WINDOW = '0x0', conditionalTokens = '0x0' }: Readonly<Record<string, Hex>>) => ({
  disputeWindow: Number(hexToBigInt(DISPUTE_WINDOW)),
  conditionalTokens: hexToBigInt(conditionalTokens) === 0n ? null : getAddress(slice(conditionalTokens, 12)),
})

async function foreignFaults(client: PublicClient, address: Address, code: Hex): Promise<string[]> {
  if (code === '0x') return ['there is no contract']
  const decimals = await readDecimals(client, address)
  if (decimals === 6) return []
  return [decimals === null ? 'it does not report its decimals' : `it has ${decimals} decimals, and must have 6`]
}

/** A key that lent its account to a contract (EIP-7702) is still a key. */
export async function isContract(client: PublicClient, address: Address): Promise<boolean> {
  const code = await client.getCode({ address })
  return code !== undefined && code !== '0x' && !code.startsWith(DELEGATION)
}

const DELEGATION = '0xef0100'
