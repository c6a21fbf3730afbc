import { Command, Option } from 'commander'
import { parseCount, parseDuration } from '../../src/cli/declare/parse.ts'
import { describeFailure } from '../../src/cli/errors/describe-failure.ts'
import { createOutput } from '../../src/cli/terminal/output.ts'
import { EXIT } from '../../src/lib/exit.ts'
import type { Programs } from './relay-process.ts'
import { runSoak, type SoakOptions } from './soak.ts'

const TEN_MINUTES_MS = 600_000

/** Runs the soak that the command line of this process asks for; the first Ctrl-C ends it in order, a second one at once. */
export async function main(programs: Programs): Promise<void> {
  const options = new Command('npm run soak --')
    .description('Keep a relay busy for long, and check that nothing breaks, leaks or slows down')
    .addOption(new Option('--for <time>', 'how long').argParser(parseDuration).default(TEN_MINUTES_MS, '10m'))
    .option('--makers <count>', 'number of connected makers', parseCount, 200)
    .option('--rounds <count>', 'rounds started per second', parseCount, 50)
    .option('--quotes <count>', 'makers that quote in a round', parseCount, 200)
    .option('--kill', 'kill makers all the time, which have protections and come back', false)
    .option('--nodes <count>', 'number of relays, on a Redis and a Postgres where it is more than one', parseCount, 1)
    .option('--json', 'one JSON object per line on stdout; errors likewise on stderr', false)
    .parse()
    .opts<SoakOptions & { json: boolean }>()
  const { stdout, stderr, env } = process
  const out = createOutput({ stdout, stderr, isJson: options.json, allowsColor: !env.NO_COLOR })
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.exitCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated
      controller.abort()
    })
  }
  try {
    await runSoak({ out, stop: controller.signal, programs }, options)
  } catch (error) {
    if (controller.signal.aborted && error instanceof Error && error.name === 'AbortError') return
    const failure = describeFailure(error)
    out.fail(failure)
    process.exitCode = failure.exitCode
  }
}
