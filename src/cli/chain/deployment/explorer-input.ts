import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Blueprint } from '@rfqctl/onchain/deploy/blueprint'
import { explorerInput, readStandardInput } from '@rfqctl/onchain/deploy/explorer-input'
import type { Deployment } from '@rfqctl/onchain/deploy/inspect'
import type { Cli } from '../../cli.ts'

/** Writes the inputs with which block explorers verify the source code. */
export function writeExplorerInput(
  cli: Cli,
  { directory, blueprint, deployment }: { directory: string; blueprint: Blueprint; deployment: Deployment },
): void {
  const path = resolve(cli.cwd, directory)
  const input = explorerInput(blueprint, deployment)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'standard-input.json'), readStandardInput())
  writeFileSync(join(path, 'contracts.json'), `${JSON.stringify(input, null, 2)}\n`)
  cli.out.note(
    `wrote standard-input.json and contracts.json to ${path}: for an explorer, Solidity (Standard-JSON-Input), ${input.compilerVersion}`,
  )
}
