import { resolve } from 'node:path'
import { collectSettings } from '../../config/sources.ts'
import type { Cli } from '../cli.ts'

/** The data directory of a command: that of `--data-dir`, else the one that `serve` would use here. Absolute. */
export function dataDirOf(
  { environment, cwd }: Pick<Cli, 'environment' | 'cwd'>,
  { dataDir }: { dataDir?: string },
): string {
  const flags = dataDir === undefined ? {} : { DATA_DIR: dataDir }
  return resolve(cwd, collectSettings({ flags, environment, cwd }).values.DATA_DIR)
}
