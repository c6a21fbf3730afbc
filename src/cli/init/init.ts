import { join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { createPrivateText, writePrivateText } from '@rfqctl/lib/private-file'
import { CHAINS, type ChainFacts, type ProfileName, profileText } from '@rfqctl/relay/config/profiles'
import { CONFIG_FILE } from '@rfqctl/relay/config/sources'
import type { Run } from '../cli.ts'
import { addressIn } from '../context/address-in.ts'

type Options = { rpcUrl?: string; chainId?: number; blockTime?: number; stablecoin?: string; force?: boolean }

/** Milliseconds, for a chain that is not known. */
const DEFAULT_BLOCK_TIME_MS = 12_000

/** Null: the relay's own chain. */
const nextOf = (chain: ChainFacts | null): string => {
  if (chain === null) return 'rfqctl serve'
  return `rfqctl chain deploy${chain.stablecoin === null ? '' : ' --stablecoin'}, and put what it prints into the file`
}

/** Writes to the working directory, where `serve` looks for it. */
export const run: Run<Options, [profile: ProfileName]> = async ({ cwd, out }, options, profile) => {
  const chain = chainOf(profile, options)
  const text = profileText(profile, chain)
  const path = join(cwd, CONFIG_FILE)
  if (options.force === true) writePrivateText(path, text)
  else if (!createPrivateText(path, text)) {
    throw new CliError(`there is a ${CONFIG_FILE} already`, {
      code: 'file_exists',
      hint: 'replace it with --force, or write one in another directory',
    })
  }
  out.print({ type: 'settings_file', profile, path }, `wrote ${path}`)
  out.note(`Next: ${nextOf(chain)}`)
}

function chainOf(profile: ProfileName, { rpcUrl, chainId, blockTime, stablecoin }: Options): ChainFacts | null {
  const coin = stablecoin === undefined ? null : addressIn('--stablecoin', stablecoin)
  if (profile === 'custom') {
    if (rpcUrl === undefined || chainId === undefined) {
      throw new CliError('the chain is unknown', { hint: 'rfqctl init custom --chain-id ID --rpc-url URL' })
    }
    return { rpcUrl, chainId, blockTimeMs: blockTime ?? DEFAULT_BLOCK_TIME_MS, stablecoin: coin }
  }
  if (chainId !== undefined || blockTime !== undefined) {
    throw new CliError('--chain-id and --block-time are for the profile custom', { hint: 'rfqctl init custom' })
  }
  if (profile !== 'local') {
    const known = CHAINS[profile]
    return { ...known, rpcUrl: rpcUrl ?? known.rpcUrl, stablecoin: coin ?? known.stablecoin }
  }
  if (rpcUrl === undefined && coin === null) return null
  throw new CliError('the profile local has a chain of its own', {
    hint: 'rfqctl init custom, for a chain that runs already',
  })
}
