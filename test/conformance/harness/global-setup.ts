import type { TestProject } from 'vitest/node'
import { buildWhenStale } from '../../kit/build.ts'
import { type Ready, type RelayProcess, startRelay } from '../../kit/relay-process.ts'
import { allKeys } from './keys.ts'
import { SHARED_SETTINGS } from './settings.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    relays: Relays
  }
}

/** The two relays that most files share; a file that needs other settings, or the relay for itself, starts its own. */
export type Relays = { simulated: Ready; embedded: Ready }

/** Builds what is stale and starts the relays. They must end well, and have had no fault of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildWhenStale()
  const env = { ...SHARED_SETTINGS, MAKER_API_KEYS: JSON.stringify(allKeys()) }
  const relays = await Promise.all([
    startRelay({ flags: ['--memory', '--no-chain'], env }),
    startRelay({ flags: ['--memory'], env }),
  ])
  project.provide('relays', { simulated: relays[0].ready, embedded: relays[1].ready })
  return async () => void (await Promise.all(relays.map(endWell)))
}

async function endWell(relay: RelayProcess): Promise<void> {
  const { code } = await relay.stop()
  const faults = relay
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
  if (code !== 0 || faults.length > 0) throw new Error(`a relay ended with ${code}:\n${faults.join('\n')}`)
}
