import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { findMismatches } from '@rfqctl/onchain/deploy/inspect'
import type { Rpc } from '../adapters/chain/rpc.ts'
import { readActiveSigner, signsAs } from '../core/active-signer.ts'
import type { Chain, ResolutionSigner } from '../core/ports/chain.ts'
import type { Log } from '../core/ports/runtime.ts'

/** The contracts hold money, so a relay never replaces them by itself. */
const ON_OTHERS =
  'serve these contracts by the version of rfqctl that deployed them, or deploy those of this version: rfqctl chain deploy'

/**
 * Checks on someone else's chain that the contracts match this version and accept what the relay's key signs. Other
 * contracts throw a `CliError` with exit code 8: what they answer would be misread. Another signer does so in production,
 * and is logged elsewhere.
 */
export async function inspectDeployment(parts: {
  rpc: Rpc
  chain: Pick<Chain, 'environment' | 'resolutionSigner' | 'takesSignature'>
  resolutionSigner: ResolutionSigner | null
  isProduction: boolean
  log: Log
}): Promise<void> {
  const { rpc, chain, resolutionSigner, isProduction, log } = parts
  const [faults, active] = await Promise.all([
    rpc.read((client) => findMismatches(client, chain.environment, 'any')),
    resolutionSigner === null ? null : readActiveSigner(chain, resolutionSigner, 'latest'),
  ])
  if (faults.length > 0) {
    const reason = `the contracts do not match this version: ${faults.join('; ')}`
    throw new CliError(reason, { code: 'chain_mismatch', exitCode: EXIT.chain, hint: ON_OTHERS })
  }
  if (resolutionSigner === null || active === null || active.isOurs) return
  const reason = `The core accepts attestations signed by ${active.address}, but ${signsAs(resolutionSigner)}`
  if (isProduction) {
    const hint = 'give the relay the key of the active resolution signer, or have the owner appoint this one'
    throw new CliError(reason, { code: 'signer_not_in_office', exitCode: EXIT.chain, hint })
  }
  log.warn('signer_not_in_office', { reason: `${reason}.` })
}
