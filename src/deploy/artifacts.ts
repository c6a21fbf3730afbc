import { readFileSync } from 'node:fs'
import type { Hex } from '../domain/units.ts'

/** The contracts of a deployment. */
export type ContractName = 'TestUSD' | 'ServiceCore' | 'ServiceRFQSettlement'

/** What the compiler made of a contract; the places of its immutables are in bytes of the deployed code. */
export type Artifact = {
  bytecode: Hex
  deployedBytecode: Hex
  immutableReferences: Readonly<Record<string, readonly { start: number; length: number }[]>>
}

/** Reads a committed artifact. The folder is as far from `src/deploy` as from `dist/deploy`. */
export function readArtifact(name: ContractName): Artifact {
  const url = new URL(`../../contracts/artifacts/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Artifact
}

/** Whether deployed code is the artifact's, whatever its immutables hold (fault J7). */
export function isCodeOf({ deployedBytecode, immutableReferences }: Artifact, code: Hex): boolean {
  const places = Object.values(immutableReferences).flat()
  if (code.length !== deployedBytecode.length) return false
  return maskPlaces(code, places) === maskPlaces(deployedBytecode, places)
}

function maskPlaces(code: Hex, places: readonly { start: number; length: number }[]): string {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (const { start, length } of places) bytes.fill(0, start, start + length)
  return bytes.toString('hex')
}
