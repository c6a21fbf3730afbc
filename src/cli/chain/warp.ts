import { assertDevChain } from '../../app/dev-chain.ts'
import { utcText } from '../../domain/utc-text.ts'
import { createDevClient } from '../../sandbox/chain/client.ts'
import { warpChain } from '../../sandbox/chain/warp.ts'
import type { Run } from '../cli.ts'
import { type ChainOptions, devRpcUrl } from '../context/targets.ts'
import { duration } from '../terminal/format.ts'

/** Moves the time of a local chain forward, whole seconds at a time. */
export const run: Run<ChainOptions, [ms: number]> = async (cli, options, ms) => {
  const url = devRpcUrl(cli, options)
  const client = createDevClient(url)
  await assertDevChain(client, url)
  const seconds = Math.ceil(ms / 1_000)
  const time = await warpChain(client, seconds)
  cli.out.print(
    { type: 'warp', seconds, time },
    `chain time moved forward by ${duration(seconds * 1_000)} to ${utcText(time * 1_000)}`,
  )
}
