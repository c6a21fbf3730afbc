import { existsSync, mkdirSync } from 'node:fs'
import { type Deployment, findMismatches } from '../deploy/inspect.ts'
import { type Anvil, ownAnvil, startAnvil } from './anvil.ts'
import { findOrphan, removeRecord, setStateAside, statePathOf, writeRecord } from './anvil-record.ts'
import { createDevClient, devnetChain } from './client.ts'
import { keepTimeAhead } from './warp.ts'

/**
 * `origin`: new, restored from the data dir, or left running by a killed run. `aside`: the file that now has the data
 * dir's former chain; null if none was put aside.
 */
export type OpenChain = { anvil: Anvil; origin: 'fresh' | 'restored' | 'adopted'; aside: string | null }

/**
 * The chain of a data dir, on a port, 0 for any. One left running is adopted (fault H4); else the saved one is
 * restored, its clock never behind its last block. One without today's contracts is put aside for a fresh one, so that
 * an upgrade does not strand a sandbox.
 *
 * Anvil writes its state only when it ends in order. After a loss of power the chain is as last saved: writing all of
 * it every few seconds, 40 MB per day of blocks, is more than a sandbox is worth.
 */
export async function openChain(place: { dataDir: string; port: number; deployment: Deployment }): Promise<OpenChain> {
  const { dataDir, port, deployment } = place
  const adopted = await adoptOrphan(place)
  if (adopted !== null) return { anvil: adopted, origin: 'adopted', aside: null }
  mkdirSync(dataDir, { recursive: true })
  const isResting = existsSync(statePathOf(dataDir))
  const anvil = await startIn(dataDir, port)
  if (!isResting) return { anvil, origin: 'fresh', aside: null }
  if (await holdsDeployment(anvil, deployment)) {
    await keepTimeAhead(createDevClient(anvil.rpcUrl))
    return { anvil, origin: 'restored', aside: null }
  }
  await anvil.stop()
  const aside = setStateAside(dataDir)
  return { anvil: await startIn(dataDir, port), origin: 'fresh', aside }
}

/** Adopts the Anvil of a killed run if it is on the right port and in order, and ends it otherwise. */
async function adoptOrphan(place: { dataDir: string; port: number; deployment: Deployment }): Promise<Anvil | null> {
  const { dataDir, port, deployment } = place
  const orphan = findOrphan(dataDir)
  if (orphan === null) return null
  const anvil = ownAnvil(orphan)
  if ((port === 0 || port === orphan.port) && (await holdsDeployment(anvil, deployment))) {
    return inRecord(dataDir, anvil)
  }
  await anvil.stop()
  return null
}

async function holdsDeployment({ rpcUrl }: Anvil, deployment: Deployment): Promise<boolean> {
  const client = createDevClient(rpcUrl)
  try {
    return (await findMismatches(client, { chainId: devnetChain.id, ...deployment })).length === 0
  } catch {
    return false
  }
}

async function startIn(dataDir: string, port: number): Promise<Anvil> {
  return inRecord(dataDir, await startAnvil({ port, statePath: statePathOf(dataDir), outlives: true }))
}

/** Records an Anvil for the next run, for as long as it runs. */
function inRecord(dataDir: string, anvil: Anvil): Anvil {
  writeRecord(dataDir, { pid: anvil.pid, port: anvil.port, ownerPid: process.pid })
  return {
    ...anvil,
    async stop() {
      await anvil.stop()
      removeRecord(dataDir)
    },
  }
}
