import type { Run } from '../cli.ts'
import { openHouse } from '../house/open-house.ts'
import { readyFacts, readyLines } from '../house/ready.ts'
import { requireServeSettings, type ServeOptions } from '../serve-options.ts'
import { stopped } from '../stop.ts'

/** Runs the relay until it is told to end, then drains. @see ruling Z */
export const run: Run<ServeOptions> = async (cli, options) => {
  const settings = requireServeSettings(cli, options)
  const house = await openHouse({ settings, stop: cli.stop })
  cli.out.print(readyFacts(house, settings.dataDir), readyLines(house, settings.dataDir, cli))
  cli.out.note('Next: rfqctl maker simulate')
  await stopped(cli.stop)
  cli.out.note('ending: running requests are finished first')
  await house.close()
}
