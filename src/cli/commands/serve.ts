import type { Cli, Run } from '../cli.ts'
import { plural } from '../format.ts'
import { type House, openHouse } from '../house/open-house.ts'
import { requireServeSettings, type ServeOptions } from '../serve-options.ts'
import { stopped } from '../stop.ts'
import { factLines } from '../table.ts'

/** Runs the relay until it is told to end, then drains. @see ruling Z */
export const run: Run<ServeOptions> = async (cli, options) => {
  const settings = requireServeSettings(cli, options)
  const house = await openHouse({ settings, stop: cli.stop }).catch((fault: unknown) => {
    // Told to end before it stood: nothing was promised, nothing is left.
    if (cli.stop.aborted) return null
    throw fault
  })
  if (house === null) return
  cli.out.print(readyFacts(house, settings.dataDir), bannerLines(house, settings.dataDir, cli))
  await stopped(cli.stop)
  cli.out.note('ending: running requests are finished first')
  await house.close()
}

/** The ready line of ruling Z. */
const readyFacts = ({ url, wsUrl, ground }: House, dataDir: string) => {
  const { chainId, settlementAddress, coreAddress, stablecoinAddress } = ground.chain.environment
  return {
    type: 'ready',
    url,
    wsUrl,
    rpcUrl: ground.rpcUrl,
    chainId,
    settlementAddress,
    coreAddress,
    stablecoinAddress,
    resolutionSigner: ground.resolutionSigner?.address ?? null,
    dataDir,
  }
}

/** What people need to go on. An RPC URL may hold a key: it is shown in full only where it is our own. */
function bannerLines({ url, wsUrl, ground, sandbox }: House, dataDir: string, { out: { paint } }: Cli): string[] {
  const { mode, environment } = ground.chain
  const chain = mode === 'simulated' ? paint.red('none: simulated mode') : `${environment.chainId}`
  const facts: [string, string][] = [
    ['relay', url],
    ['makers', `${wsUrl}/maker/v1/ws`],
    ['chain', ground.devnet === null ? chain : `${chain} at ${ground.rpcUrl}`],
    ...(mode === 'simulated' ? [] : ([['settlement', environment.settlementAddress]] as [string, string][])),
    ['data', dataDir],
    ['wallets', `${plural(sandbox.makers.length, 'maker')}, ${plural(sandbox.takers.length, 'taker')}`],
  ]
  return [
    paint.bold('rfqctl is ready'),
    ...factLines(facts, paint).map((line) => `  ${line}`),
    'Next: rfqctl maker simulate',
  ]
}
