import type { Writable } from 'node:stream'
import { CliError } from '../../lib/cli-error.ts'
import type { Closers } from '../../lib/closers.ts'
import { findPostgres, findProgram } from '../../sandbox/services/programs.ts'
import { type Service, startPostgres, startRedis } from '../../sandbox/services/services.ts'
import type { Cli } from '../cli.ts'
import type { ServeOptions } from '../serve-options.ts'

/** Where the nodes keep what they share. */
export type Services = {
  databaseUrl: string
  redisUrl: string
  isThrownAway: boolean
  /** Of the throw-away ones, which must not end before the nodes. */
  lifelines: readonly Writable[]
}

/** The Postgres and Redis that are named, else throw-away ones. Says what to install where their programs are missing. */
export async function openServices(cli: Cli, options: ServeOptions, closers: Closers): Promise<Services> {
  const named = {
    databaseUrl: options.databaseUrl ?? cli.environment.DATABASE_URL,
    redisUrl: options.redisUrl ?? cli.environment.REDIS_URL,
  }
  const path = cli.environment.PATH ?? ''
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
    closers.add(stop)
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
