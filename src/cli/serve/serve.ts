import { stopped } from '@rfqctl/lib/stop'
import { createLog, type LogLevel } from '@rfqctl/relay/adapters/log'
import { startApp } from '@rfqctl/relay/app/start-app'
import { isProduction } from '@rfqctl/relay/config/environment'
import type { Cli, Run } from '../cli.ts'
import { isTyped, loadServeSettings, requireServeSettings, type ServeOptions } from './options.ts'
import { readyFacts, readyLines } from './ready.ts'

/** In production, or without a person at stderr, stderr holds log lines alone; `--json` is not affected. */
export const isService = ({ environment, out }: Cli): boolean =>
  !out.isJson && (isProduction(environment) || !out.isAttended)

/** A silent log still says why the service did not start. */
export const logToStderr = ({ out }: Cli, level: LogLevel): void =>
  out.turnIntoService((stderr) => createLog({ level: level === 'silent' ? 'error' : level, out: stderr }))

/** Runs until it is stopped, then drains (protocol start-1). */
export const run: Run<ServeOptions> = async (cli, options) => {
  if (isService(cli)) {
    const { settings, faults } = loadServeSettings(cli, options)
    // A wrong flag is reported to the person who typed it, as by every command.
    if (!faults.some(isTyped)) logToStderr(cli, settings?.logLevel ?? 'info')
  }
  const settings = requireServeSettings(cli, options)
  const app = await startApp({ settings, stop: cli.stop, isTold: !cli.out.isJson && !isService(cli) })
  cli.out.print(readyFacts(app, settings.dataDir), readyLines(app, settings.dataDir, cli))
  cli.out.note('Next: rfqctl maker simulate')
  await stopped(cli.stop)
  cli.out.note('shutting down: requests in flight finish first')
  await app.close()
}
