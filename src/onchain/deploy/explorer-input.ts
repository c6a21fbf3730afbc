import { readFileSync } from 'node:fs'
import type { Address } from '@rfqctl/protocol/domain/units'
import { type ContractName, readArtifact } from './artifact.ts'
import type { Blueprint } from './blueprint.ts'
import { CREATED, creationData, type Part, type Planned } from './creation.ts'

export type ExplorerInput = ReturnType<typeof explorerInput>

/** The compiler's standard-JSON input, from which it makes the bytecode of an artifact, as text. Each contract has its own settings. */
export function readStandardInput(name: ContractName): string {
  const path = new URL('../../../contracts/artifacts/standard-input.json', import.meta.url)
  const { settings, ...input } = JSON.parse(readFileSync(path, 'utf8'))
  const outputSelection = { [fileOf(name)]: { [name]: settings.outputSelection['*']['*'] } }
  const own = { ...settings, ...readArtifact(name).compiler.settings, outputSelection }
  return `${JSON.stringify({ ...input, settings: own }, null, 2)}\n`
}

const fileOf = (name: ContractName): string => `contracts/src/${name}.sol`

export const inputFileOf = (name: ContractName): string => `standard-input-${name}.json`

export function explorerInput(blueprint: Blueprint, deployment: Planned) {
  const created: readonly (readonly [Part, Address])[] = [
    ...(blueprint.stablecoin.kind === 'test' ? ([['stablecoin', deployment.stablecoinAddress]] as const) : []),
    ['factory', deployment.factoryAddress],
    ['core', deployment.coreAddress],
    ['settlement', deployment.settlementAddress],
  ]
  const [release = ''] = readArtifact('ServiceCore').compiler.version.split('.Emscripten')
  return {
    /** For example `v0.8.37+commit.f401782d`. */
    compilerVersion: `v${release}`,
    contracts: created.map(([part, address]) => ({
      address,
      /** The file of its standard-JSON input. */
      input: inputFileOf(CREATED[part]),
      /** The source file, and the contract's name in it. */
      contractName: `${fileOf(CREATED[part])}:${CREATED[part]}`,
      /** Hex without `0x`. */
      constructorArguments: creationData(part, { blueprint, at: deployment, bytecode: '0x' }).slice(2),
    })),
  }
}
