import type { Hex } from '../../src/domain/units.ts'
import { type Check, check } from '../../test/invariants/checks.ts'
import type { SoakMaker } from './makers.ts'

/** Whatever in a text may be a key of a maker, or a signature. */
const SUSPECT = /soak-[\w-]{32}|[0-9a-f]{130}|[0-9a-f]{64}/g

/** V8: in nothing that a relay has written is a key of a maker, of either kind, or a signature that came too late. */
export function* lookForSecrets(
  files: Iterable<{ name: string; text: string }>,
  { makers, late }: { makers: readonly SoakMaker[]; late: readonly Hex[] },
): Generator<Check> {
  const secrets = new Map([
    ...makers.flatMap(({ makerId, apiKey, privateKey }): [string, string][] => [
      [apiKey, `the API key of ${makerId}`],
      [privateKey.slice(2), `the private key of ${makerId}`],
    ]),
    ...late.map((signature): [string, string] => [signature.slice(2), 'a late signature']),
  ])
  for (const { name, text } of files) {
    const found = text.match(SUSPECT)?.find((suspect) => secrets.has(suspect))
    yield check('V8', found === undefined, () => `${secrets.get(found ?? '')} is in ${name}`)
  }
}
