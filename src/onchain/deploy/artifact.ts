import { readFileSync } from 'node:fs'
import type { Hex } from '@rfqctl/protocol/domain/units'

export type ContractName = 'TestUSD' | 'DeploymentFactory' | 'ServiceCore' | 'ServiceRFQSettlement' | 'QuorumSigner'

/** Compiler output of a contract; the places of its immutables are in bytes of the deployed code. */
export type Artifact = {
  compiler: { version: string; settings: Readonly<Record<string, unknown>> }
  bytecode: Hex
  deployedBytecode: Hex
  immutableReferences: Readonly<Record<string, readonly { start: number; length: number }[]>>
}

/** The folder of artifacts is as far from `src/onchain/deploy` as from `dist/deploy`. */
export function readArtifact(name: ContractName): Artifact {
  const url = new URL(`../../../contracts/artifacts/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Artifact
}

/** Ignores the values of immutables (fault J7). */
export const isCodeOf = (artifact: Artifact, code: Hex): boolean =>
  code.length === artifact.deployedBytecode.length && firstDifference(artifact, code) === null

/** The first byte outside the immutables that differs in code of the artifact's length; null if there is none. */
export function firstDifference({ deployedBytecode, immutableReferences }: Artifact, code: Hex): number | null {
  const [found, wanted] = [code, deployedBytecode].map((hex) => Buffer.from(hex.slice(2), 'hex')) as [Buffer, Buffer]
  for (const { start, length } of Object.values(immutableReferences).flat()) {
    found.copy(wanted, start, start, start + length)
  }
  const index = found.findIndex((byte, at) => byte !== wanted[at])
  return index === -1 ? null : index
}
