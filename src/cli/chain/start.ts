import { stopped } from '../../lib/stop.ts'
import { startAnvil } from '../../sandbox/chain/anvil.ts'
import { devnetChain } from '../../sandbox/chain/client.ts'
import type { Run } from '../cli.ts'

/** Runs a fresh local chain until it is told to end. It keeps nothing. */
export const run: Run<{ port: number }> = async (cli, { port }) => {
  const anvil = await startAnvil({ port, statePath: null, outlives: false })
  const { rpcUrl, pid } = anvil
  cli.out.print(
    { type: 'ready', rpcUrl, chainId: devnetChain.id, pid },
    `chain ${devnetChain.id} is ready at ${cli.out.colors.bold(rpcUrl)}`,
  )
  cli.out.note(`Next: rfqctl chain deploy --rpc ${rpcUrl}`)
  await stopped(cli.stop)
  await anvil.stop()
}
