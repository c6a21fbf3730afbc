import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { createHouse, type House } from '../conformance/harness/house.ts'
import { keep } from '../conformance/harness/keep.ts'
import type { MakerKey } from '../conformance/harness/keys.ts'
import { createMaker, type Maker } from '../conformance/harness/maker.ts'
import { type RelayProcess, startRelay } from '../conformance/harness/relay-process.ts'
import { createOwnRedis, HAS_REDIS, type OwnRedis } from '../support/own-redis.ts'
import { POSTGRES_URL, runSql } from '../support/postgres.ts'
import { REDIS_URL } from '../support/redis.ts'

/** Nodes need a Postgres that several may use, and a Redis that may be killed. */
export const HAS_CLUSTER = POSTGRES_URL !== undefined && REDIS_URL !== undefined && HAS_REDIS

/** Why a suite was skipped, as a part of its name. */
export const CLUSTER_HINT = HAS_CLUSTER
  ? ''
  : ' (skipped: needs redis-server, RFQCTL_TEST_REDIS_URL and RFQCTL_TEST_POSTGRES_URL)'

/** A relay of a cluster, as one that speaks only the wire sees it. */
export type Node = {
  process: RelayProcess
  house: House
  /** A maker by its name, on this node. */
  maker: (name: string) => Maker
  /** The headers of somebody signed in. Each node of a development cluster takes the tokens of its own provider. */
  accountHeaders: () => Promise<Record<string, string>>
}

/** A Redis and a database of their own, and the nodes on them. */
export type Cluster = {
  redis: OwnRedis
  start: (env?: Record<string, string>) => Promise<Node>
  /** So many nodes, started at the same time. */
  startAll: (count: number, env?: Record<string, string>) => Promise<Node[]>
  /** Ends everything, whatever state it is in. */
  remove: () => Promise<void>
}

/** What every node lets an operator in with. */
export const OPERATOR_TOKEN = 'the-token-of-the-operator'

/** Makers that every node knows. */
const MAKERS = ['ada', 'bob', 'cyd', 'watcher']

const KEYS: MakerKey[] = MAKERS.map((makerId) => ({ makerId, apiKey: `key-of-the-maker-${makerId}` }))

const WALLETS = new Map(MAKERS.map((name, index) => [name, new Wallet(`0x${`${index + 1}`.repeat(64)}`)]))

/** A cluster without nodes. */
export async function createCluster(): Promise<Cluster> {
  const redis = await createOwnRedis()
  keep(() => void redis.kill())
  const database = `rfqctl_cluster_${randomUUID().replaceAll('-', '')}`
  await runSql(`create database ${database}`)
  const url = new URL(POSTGRES_URL as string)
  url.pathname = `/${database}`
  const nodes: Node[] = []

  async function start(env: Record<string, string> = {}): Promise<Node> {
    const flags = ['--no-chain', '--database-url', url.href, '--redis-url', redis.url]
    const process = await startRelay({ flags, env: { MAKER_API_KEYS: JSON.stringify(KEYS), OPERATOR_TOKEN, ...env } })
    keep(() => process.signal('SIGKILL'))
    const node = nodeOf(process)
    nodes.push(node)
    return node
  }

  return {
    redis,
    start,
    // The first one makes the tables; the others wait for it.
    startAll: (count, env) => Promise.all(Array.from({ length: count }, () => start(env))),
    remove: async () => {
      for (const { process } of nodes) process.signal('SIGKILL')
      await Promise.all(nodes.map(({ process }) => process.exited))
      await redis.kill()
      await runSql(`drop database ${database} with (force)`)
    },
  }
}

function nodeOf(process: RelayProcess): Node {
  const { ready } = process
  return {
    process,
    house: createHouse('simulated', ready, []),
    maker: (name) => {
      const key = KEYS.find(({ makerId }) => makerId === name)
      const wallet = WALLETS.get(name)
      if (key === undefined || wallet === undefined) throw new Error(`there is no maker ${name}`)
      return createMaker(ready, key, wallet)
    },
    accountHeaders: async () => {
      const { identityUrl } = JSON.parse(readFileSync(join(ready.dataDir, 'sandbox.json'), 'utf8'))
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
      const answer = await fetch(`${identityUrl}/token`, { method: 'POST', headers, body: '{"name":"ada"}' })
      return { authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` }
    },
  }
}
