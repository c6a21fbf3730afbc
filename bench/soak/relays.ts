import { CliError } from '../../src/lib/cli-error.ts'
import { EXIT } from '../../src/lib/exit.ts'
import {
  findPostgres,
  findProgram,
  type Service,
  startPostgres,
  startRedis,
} from '../../src/sandbox/services/services.ts'
import type { SoakMaker } from './maker-session.ts'
import { type Programs, type SoakRelay, startRelayProcess } from './relay-process.ts'

/** The relays of a soak. */
export type SoakRelays = {
  all: readonly SoakRelay[]
  /** The end of the log of one that has ended by itself; null while all run. */
  lastWords: () => string | null
  stop: () => Promise<void>
}

/** Starts one relay on files, or several on a Redis and a Postgres of their own, with further settings. */
export async function startRelays(
  { makers, nodes, env }: { makers: readonly SoakMaker[]; nodes: number; env: Readonly<Record<string, string>> },
  programs: Programs,
): Promise<SoakRelays> {
  const services = nodes === 1 ? null : await startServices()
  const stopServices = () => Promise.all((services?.all ?? []).map(({ stop }) => stop()))
  const starting = Array.from({ length: nodes }, () =>
    startRelayProcess(makers, programs, { flags: services?.flags ?? [], env }),
  )
  const started = await Promise.allSettled(starting)
  const all = started.flatMap((relay) => (relay.status === 'fulfilled' ? [relay.value] : []))
  const stop = async () => {
    await Promise.all(all.map((relay) => relay.stop()))
    await stopServices()
  }
  const failed = started.find((relay) => relay.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  return { all, stop, lastWords: () => all.map(({ lastWords }) => lastWords()).find((words) => words !== null) ?? null }
}

async function startServices(): Promise<{ all: readonly Service[]; flags: readonly string[] }> {
  const path = process.env.PATH ?? ''
  const redisProgram = findProgram('redis-server', path)
  const postgresPrograms = findPostgres(path)
  if (redisProgram === null || postgresPrograms === null) {
    throw new CliError('several nodes need redis-server and postgresql', { exitCode: EXIT.unexpected })
  }
  const [redis, postgres] = await Promise.all([startRedis(redisProgram), startPostgres(postgresPrograms)])
  return { all: [redis, postgres], flags: ['--database-url', postgres.url, '--redis-url', redis.url] }
}
