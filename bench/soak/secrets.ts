import type { Observation } from '../../test/invariants/observation.ts'
import type { SoakMaker } from './maker-session.ts'

/** Whatever in a text may be a key of a maker, or a signature. */
const SUSPECT = /soak-[\w-]{32}|[0-9a-f]{130}|[0-9a-f]{64}/g

/** The keys of a maker, of either kind, as they would be found: a private key without its 0x. */
export const secretsOf = ({ makerId, apiKey, privateKey }: SoakMaker): Observation[] => [
  { kind: 'secret', name: `the API key of ${makerId}`, value: apiKey },
  { kind: 'secret', name: `the private key of ${makerId}`, value: privateKey.slice(2) },
]

/** A file that a relay has written, of which only what may be a secret is kept: it may be a hundred megabytes. */
export function sinkOf({ name, text }: { name: string; text: string }): Observation {
  return { kind: 'sink', name, text: [...new Set(text.match(SUSPECT))].join('\n') }
}
