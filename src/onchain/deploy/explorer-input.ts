import { readFileSync } from 'node:fs'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Blueprint } from './blueprint.ts'
import { type Deployment, readArtifact } from './check-deployment.ts'
import { CREATED, creationData } from './creation.ts'
import type { Work } from './plan.ts'

/** What a block explorer asks for beside the standard-JSON input, in its own words. */
export type ExplorerInput = {
  /** Such as `v0.8.37+commit.f401782d`. */
  compilerVersion: string
  contracts: readonly {
    address: Address
    /** Its source, and its name in that. */
    contractName: string
    /** Encoded, hex without `0x`. */
    constructorArguments: string
  }[]
}

/** The standard-JSON input of the compiler, from which it makes the bytecode of every artifact, as text. */
export const readStandardInput = (): string =>
  readFileSync(new URL('../../../contracts/artifacts/standard-input.json', import.meta.url), 'utf8')

/** What to tell a block explorer of each contract of a deployment that was created with it. */
export function explorerInput(blueprint: Blueprint, deployment: Deployment): ExplorerInput {
  const created: readonly (readonly [Work, Address])[] = [
    ...(blueprint.stablecoin.kind === 'test' ? ([['stablecoin', deployment.stablecoinAddress]] as const) : []),
    ['core', deployment.coreAddress],
    ['settlement', deployment.settlementAddress],
  ]
  const [release = ''] = readArtifact('ServiceCore').compiler.version.split('.Emscripten')
  return {
    compilerVersion: `v${release}`,
    contracts: created.map(([work, address]) => ({
      address,
      contractName: `contracts/src/${CREATED[work]}.sol:${CREATED[work]}`,
      constructorArguments: creationData(work, { blueprint, at: deployment, bytecode: '0x' }).slice(2),
    })),
  }
}
