import { join } from 'node:path'
import type { Blueprint } from '../../../deploy/blueprint.ts'
import type { DeploymentRecord } from '../../../deploy/record.ts'
import { CliError } from '../../../lib/cli-error.ts'
import { EXIT } from '../../../lib/exit.ts'
import { readPrivateJson, writePrivateJson } from '../../../lib/private-file.ts'
import type { Cli } from '../../cli.ts'
import { dataDirOf } from '../../context/data-dir.ts'

/** The record of a deployer's deployment on a chain, in the data directory. */
export type KeptRecord = { load: () => DeploymentRecord | null; save: (record: DeploymentRecord) => void }

/** Where the record of a blueprint is kept. */
export function keptRecord(
  cli: Cli,
  options: { dataDir?: string },
  { chainId, deployer }: Pick<Blueprint, 'chainId' | 'deployer'>,
): KeptRecord {
  const path = join(dataDirOf(cli, options), 'deployments', `${chainId}-${deployer.toLowerCase()}.json`)
  return {
    load: () => {
      const record = readPrivateJson<DeploymentRecord>(path)
      if (record === null || record.version === 1) return record
      throw new CliError(`${path} was written by another version of rfqctl`, {
        code: 'corrupt_file',
        exitCode: EXIT.corrupt,
        hint: `move it away: mv ${path} ${path}.old`,
      })
    },
    save: (record) => writePrivateJson(path, record),
  }
}
