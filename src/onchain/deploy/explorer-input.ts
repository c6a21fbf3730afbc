import { readFileSync } from 'node:fs'
import type { Address } from '@rfqctl/protocol/domain/units'
import { readArtifact } from './artifact.ts'
import type { Blueprint } from './blueprint.ts'
import { CREATED, creationData } from './creation.ts'
import type { Deployment } from './inspect.ts'
import type { Work } from './plan.ts'

export type ExplorerInput = ReturnType<typeof explorerInput>

/** The compiler's standard-JSON input, from which it makes the bytecode of every artifact, as text. */
export const readStandardInput = (): string =>
  readFileSync(new URL('../../../contracts/artifacts/standard-input.json', import.meta.url), 'utf8')

export function explorerInput(blueprint: Blueprint, deployment: Deployment) {
  const created: readonly (readonly [Work, Address])[] = [
    ...(blueprint.stablecoin.kind === 'test' ? ([['stablecoin', deployment.stablecoinAddress]] as const) : []),
    ['core', deployment.coreAddress],
    ['settlement', deployment.settlementAddress],
  ]
  const [release = ''] = readArtifact('ServiceCore').compiler.version.split('.Emscripten')
  return {
    /** For example `v0.8.37+commit.f401782d`. */
    compilerVersion: `v${release}`,
    contracts: created.map(([work, address]) => ({
      address,
      /** The source file, and the contract's name in it. */
      contractName: `contracts/src/${CREATED[work]}.sol:${CREATED[work]}`,
      /** Hex without `0x`. */
      constructorArguments: creationData(work, { blueprint, at: deployment, bytecode: '0x' }).slice(2),
    })),
  }
}
