import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit.ts'
import { plural } from '../format.ts'
import type { Sandbox, SandboxWallet } from '../sandbox.ts'

/** The first makers of the sandbox that have a key to quote with. */
export function pickMakers({ makers }: Sandbox, count: number): readonly [SandboxWallet, ...SandboxWallet[]] {
  const usable = makers.filter(({ apiKey }) => apiKey !== null)
  const [first, ...others] = usable.slice(0, count)
  if (first !== undefined && usable.length >= count) return [first, ...others]
  throw new CliError(`the sandbox has ${plural(usable.length, 'maker')} with an API key, not ${count}`, {
    code: 'too_few_makers',
    exitCode: EXIT.notFound,
    hint:
      usable.length === 0
        ? 'set MAKER_API_KEYS as serve has it, or quote with your own program: RFQCTL_API_KEY'
        : `ask for ${usable.length}`,
  })
}
