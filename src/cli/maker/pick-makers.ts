import type { SandboxWallet } from '../../app/sandbox-file.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { plural } from '../../lib/format.ts'

/** The first of some makers of the sandbox that have a key to quote with. Refuses with `too_few_makers`. */
export function pickMakers(
  makers: readonly SandboxWallet[],
  count: number,
): readonly [SandboxWallet, ...SandboxWallet[]] {
  const usable = makers.filter(({ apiKey }) => apiKey !== null)
  const [first, ...others] = usable.slice(0, count)
  if (first !== undefined && usable.length >= count) return [first, ...others]
  throw new CliError(`the sandbox has ${plural(usable.length, 'maker')} to run, not ${count}`, {
    code: 'too_few_makers',
    exitCode: EXIT.notFound,
    why: ['the others are already connected, or their API keys are unknown here'],
    hint:
      usable.length === 0
        ? 'rfqctl up --makers 2 leaves some free; if serve has MAKER_API_KEYS, set it here too'
        : `run ${usable.length}`,
  })
}
