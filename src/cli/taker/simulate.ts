import { requireSandbox, type SandboxWallet } from '../../app/sandbox-file.ts'
import type { TakerMix } from '../../bots/session.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import { runTakers, type SimulatedTaker } from '../../sandbox/traders/run-takers.ts'
import type { Run } from '../cli.ts'
import type { PublicKeyOptions } from '../context/account.ts'
import { isSimulated, signingChain } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, type RelayOptions, relayUrl } from '../context/targets.ts'
import { takerEventJson, takerEventLine, tallyJson, tallyLines } from './show-event.ts'
import { count, EMPTY_TALLY } from './tally.ts'

type Options = RelayOptions &
  ChainOptions &
  PublicKeyOptions & {
    rate: number
    mix?: Pick<TakerMix, 'buyShare' | 'walkAwayShare'>
    seed: number
    count?: number
    for?: number
    fill: boolean
  }

/** Runs the takers of the sandbox as a crowd: each asks at its share of the rate, until told to stop or done. */
export const run: Run<Options> = async (cli, options) => {
  const takers = takersOf(requireSandbox(dataDirOf(cli, options)).takers, options.count)
  const url = relayUrl(cli, options)
  let tally = EMPTY_TALLY
  try {
    await runFor(options.for ?? null, cli.stop, (signal) =>
      runTakers({
        takers,
        url,
        chainOf: ({ address }) => signingChain(cli, options, address),
        rate: options.rate,
        seed: options.seed,
        mix: options.mix,
        fills: options.fill && !isSimulated(cli, options),
        signal,
        onEvent: (name, event) => {
          tally = count(tally, event)
          const line = takerEventLine(name, event, cli.out.colors)
          if (cli.out.isJson || line !== null) cli.out.print(takerEventJson(name, event), line ?? '')
        },
      }),
    )
  } finally {
    cli.out.print(tallyJson(tally), tallyLines(tally, cli.out.colors))
  }
}

/** The takers with how often each asks; null: forever. Refuses with `no_wallet` where there are none. */
function takersOf(wallets: readonly SandboxWallet[], total: number | undefined): SimulatedTaker[] {
  if (wallets.length === 0) {
    throw new CliError('the sandbox has no takers: its chain is external', {
      code: 'no_wallet',
      exitCode: EXIT.notFound,
      hint: 'rfqctl up',
    })
  }
  const share = (index: number) =>
    total === undefined ? null : Math.floor(total / wallets.length) + (index < total % wallets.length ? 1 : 0)
  return wallets.map((wallet, index) => ({ wallet, sessions: share(index) })).filter(({ sessions }) => sessions !== 0)
}
