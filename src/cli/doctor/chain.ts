import { createResolutionSigner } from '../../adapters/signing.ts'
import { isLoopback } from '../../config/rules.ts'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import { checkDeployment } from '../../deploy/check-deployment.ts'
import type { Address, Hex } from '../../domain/units.ts'
import { EXIT } from '../../lib/exit.ts'
import { duration } from '../../lib/format.ts'
import { createDevClient, type DevClient } from '../../sandbox/chain/client.ts'
import { readChainTime } from '../../sandbox/chain/warp.ts'
import { settingValues, tradingChain } from '../context/targets.ts'
import { type DoctorContext, type Finding, fault, good, warning } from './check.ts'

/** Blocks come every few seconds on every chain that this is meant for: an older head is a node that stands still. */
const HEAD_MAX_AGE_MS = 120_000

/** Ahead by less is the rounding of blocks; by more, someone moved the time of a local chain. */
const AHEAD_MS = 30_000

/** Whether the chain answers, is the expected one, holds our contracts, and goes on. */
export async function checkChain({ cli, options, sandbox }: DoctorContext): Promise<Finding[]> {
  const values = settingValues(cli)
  if (options.rpc === undefined && values.RPC_URL === null && sandbox === null) {
    return [good('chain', 'no chain is set; serve starts its own')]
  }
  if (sandbox?.rpcUrl === null && options.rpc === undefined) {
    return [good('chain', 'none: the relay runs in simulated mode')]
  }
  const { rpcUrl, chainId, settlementAddress, coreAddress, stablecoinAddress } = tradingChain(cli, options)
  const client = createDevClient(rpcUrl)
  const found = await client.getChainId()
  if (found !== chainId) {
    return [
      fault('chain', `the node serves chain ${found}, not chain ${chainId}`, 'check RPC_URL and CHAIN_ID', EXIT.chain),
    ]
  }
  const answers = good('chain', `${chainId} answers at ${new URL(rpcUrl).origin}`)
  const head = headFinding(await readChainTime(client), new URL(rpcUrl).hostname)
  if (stablecoinAddress === null) {
    return [answers, warning('contracts', 'the stablecoin is unknown', 'set STABLECOIN_ADDRESS'), head]
  }
  const faults = await checkDeployment(client, { settlementAddress, coreAddress, stablecoinAddress }, 'any')
  const fix = 'check the addresses, or deploy: rfqctl chain deploy'
  return [
    answers,
    ...(faults.length === 0
      ? [good('contracts', 'the code matches this version')]
      : faults.map((text) => fault('contracts', text, fix, EXIT.chain))),
    ...(faults.length > 0 || values.RESOLUTION_SIGNER_KEY === null
      ? []
      : [await signerFinding(client, coreAddress, values.RESOLUTION_SIGNER_KEY)]),
    head,
  ]
}

/** Whether the core takes what the relay's key signs. */
async function signerFinding(client: DevClient, address: Address, key: Hex): Promise<Finding> {
  const inOffice = await client.readContract({ address, abi: serviceCoreAbi, functionName: 'resolutionSigner' })
  const own = createResolutionSigner(key).address
  return own === inOffice
    ? good('signer', `${own} is the current resolution signer`)
    : fault(
        'signer',
        `the core accepts attestations signed by ${inOffice}, not by ${own}`,
        'set RESOLUTION_SIGNER_KEY to the key of the current signer, or have the owner appoint this one',
        EXIT.chain,
      )
}

function headFinding(chainTime: number, hostname: string): Finding {
  const aheadMs = chainTime * 1_000 - Date.now()
  if (aheadMs < -HEAD_MAX_AGE_MS) {
    return warning('clock', `the newest block is ${duration(-aheadMs)} old`, 'check whether the node is in sync')
  }
  if (aheadMs <= AHEAD_MS) return good('clock', 'the clocks of chain and machine agree')
  const found = `the chain is ${duration(aheadMs)} ahead`
  return isLoopback(hostname)
    ? good('clock', `${found}: its time was moved`)
    : warning('clock', `${found} of this machine`, "set this machine's clock by NTP")
}
