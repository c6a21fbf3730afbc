import type { Writable } from 'node:stream'
import type { Environment } from '../../config/sources.ts'
import type { CleanupStack } from '../../lib/cleanup-stack.ts'
import { CliError } from '../../lib/cli-error.ts'
import { findPostgres, findProgram } from '../services/programs.ts'
import { type Service, startPostgres, startRedis } from '../services/services.ts'

/** Servers that someone else runs. */
export type NamedServers = { databaseUrl: string | undefined; redisUrl: string | undefined }

/** Where the nodes keep what they share. */
export type Services = {
  databaseUrl: string
  redisUrl: string
  isThrownAway: boolean
  /** Of the throw-away ones, which must not end before the nodes. */
  lifelines: readonly Writable[]
}

/** The Postgres and Redis that are named, else throw-away ones. Says what to install where their programs are missing. */
export async function openServices(
  { named, environment }: { named: NamedServers; environment: Environment },
  cleanup: CleanupStack,
): Promise<Services> {
  const path = environment.PATH ?? ''
  const redis = findProgram('redis-server', path)
  const postgres = findPostgres(path)
  const missing = [
    ...(named.redisUrl === undefined && redis === null ? ['redis-server'] : []),
    ...(named.databaseUrl === undefined && postgres === null ? ['postgresql'] : []),
  ]
  if (missing.length > 0) throw notInstalled(missing)

  const lifelines: Writable[] = []
  async function started(service: Promise<Service>): Promise<string> {
    const { url, lifeline, stop } = await service
    cleanup.defer(stop)
    lifelines.push(lifeline)
    return url
  }

  return {
    databaseUrl: named.databaseUrl ?? (await started(startPostgres(postgres as string))),
    redisUrl: named.redisUrl ?? (await started(startRedis(redis as string))),
    isThrownAway: named.databaseUrl === undefined,
    lifelines,
  }
}

const notInstalled = (missing: readonly string[]): CliError =>
  new CliError(`several nodes need ${missing.join(' and ')}, which this machine does not have`, {
    code: 'not_installed',
    hint: `apt-get install ${missing.join(' ')}, or name servers with --database-url and --redis-url`,
  })
