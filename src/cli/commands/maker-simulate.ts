import type { PublicKeyOptions } from '../account.ts'
import type { Run } from '../cli.ts'
import { signingChain } from '../clients.ts'
import { dataDirOf } from '../data-dir.ts'
import { plural } from '../format.ts'
import { withConfiguredKeys } from '../maker/configured-keys.ts'
import { pickMakers } from '../maker/pick-makers.ts'
import { castMakers, runMakers } from '../maker/run-makers.ts'
import { makerEventJson, makerEventLine } from '../maker/show-event.ts'
import { requireSandbox } from '../sandbox.ts'
import { until } from '../until.ts'
import { type ChainOptions, type RelayOptions, relayUrl } from '../where.ts'

type Options = RelayOptions & ChainOptions & PublicKeyOptions & { count: number; seed: number; for?: number }

/** Runs simulated makers of the sandbox until Ctrl-C or for a time. They find a relay that went away again. */
export const run: Run<Options> = async (cli, options) => {
  const sandbox = withConfiguredKeys(cli, requireSandbox(dataDirOf(cli, options)))
  const wallets = pickMakers(sandbox, options.count)
  const cast = castMakers(wallets)
  const chain = signingChain(cli, options, wallets[0].address)
  cli.out.note(
    `${plural(cast.length, 'maker')}: ${cast.map(({ wallet, style }) => `${wallet.name} ${style}`).join(', ')}`,
  )
  await until(options.for ?? null, cli.stop, (stop) =>
    runMakers({
      cast,
      seed: options.seed,
      url: relayUrl(cli, options),
      chain,
      stop,
      onEvent: (name, event) => {
        const line = makerEventLine(name, event, cli.out.paint)
        const document = makerEventJson(name, event)
        if (document !== null && (cli.out.isJson || line !== null)) cli.out.print(document, line ?? '')
      },
    }),
  )
}
