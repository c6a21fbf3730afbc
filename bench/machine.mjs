import { cpus, loadavg, totalmem } from 'node:os'

/** What a reader must know of the machine; no name of it. */
export const machine = () => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
})

/** How many processes wanted to run, on average of the last minute: beyond the cores, figures tell of the others, too. */
export const load = () => Number((loadavg()[0] ?? 0).toFixed(2))
