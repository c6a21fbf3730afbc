import type { Sandbox } from '../../app/sandbox-file.ts'
import { staticMakerKeys } from '../../config/maker-keys.ts'
import { collectSettings } from '../../config/sources.ts'
import type { Cli } from '../cli.ts'

/** A sandbox whose makers have the configured keys in turn, as `serve` gave them out: its file has none of those. */
export function withConfiguredKeys({ environment, cwd }: Cli, sandbox: Sandbox): Sandbox {
  const { values } = collectSettings({ flags: {}, environment, cwd })
  const keys = staticMakerKeys(values.MAKER_API_KEYS, values.MAKER_API_KEY)
  const makers = sandbox.makers.map((maker, index) => ({
    ...maker,
    apiKey: maker.apiKey ?? keys[index]?.apiKey ?? null,
  }))
  return { ...sandbox, makers }
}
