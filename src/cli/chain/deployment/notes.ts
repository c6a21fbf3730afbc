import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateJson } from '@rfqctl/lib/private-file'
import { addressAt } from '@rfqctl/onchain/deploy/blueprint'
import type { Deployment } from '@rfqctl/onchain/deploy/inspect'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import type { Address } from '@rfqctl/protocol/domain/units'

/** The notes of deployments that were made from a data directory. */
export const notesFolder = (dataDir: string): string => join(dataDir, 'deployments')

/** More notes than anyone has. */
const MAX_NOTES = 256

type Pair = Pick<Deployment, 'coreAddress' | 'settlementAddress'>

/** Fields of notes of any version. Before version 3 addresses followed from the deployer's nonces. */
type AnyNote = {
  deployment?: Partial<Pair>
  blueprint?: { chainId?: unknown; deployer?: unknown }
  sent?: readonly { nonce?: unknown; work?: unknown }[]
}

/** Pairs of a chain that were deployed from a data directory, by this version or a former one. */
export function keptPairs(dataDir: string, chainId: number): Pair[] {
  const folder = notesFolder(dataDir)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .slice(0, MAX_NOTES)
    .flatMap((name) => {
      const note = readPrivateJson<AnyNote>(join(folder, name))
      return note?.blueprint?.chainId === chainId ? pairsIn(note) : []
    })
}

function pairsIn({ deployment, blueprint, sent = [] }: AnyNote): Pair[] {
  if (deployment !== undefined) {
    const [coreAddress, settlementAddress] = [deployment.coreAddress, deployment.settlementAddress].map(addressOf)
    return coreAddress && settlementAddress ? [{ coreAddress, settlementAddress }] : []
  }
  const deployer = addressOf(blueprint?.deployer)
  if (deployer === null) return []
  // The settlement was the very next transaction after its core.
  const nonces = new Set(sent.filter(({ work }) => work === 'core').map(({ nonce }) => Number(nonce)))
  return [...nonces].filter(Number.isSafeInteger).map((nonce) => ({
    coreAddress: addressAt(deployer, nonce),
    settlementAddress: addressAt(deployer, nonce + 1),
  }))
}

const addressOf = (text: unknown): Address | null => (typeof text === 'string' ? parseAddress(text) : null)
