import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import type { Observation } from '../invariants/observation.ts'
import { createDatabase } from '../kit/database.ts'
import { eventually } from '../kit/eventually.ts'
import { keep } from '../kit/keep.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createService, type Service } from '../kit/service.ts'
import { createOwnRedis, HAS_REDIS, type OwnRedis } from '../support/own-redis.ts'
import { POSTGRES_URL, runSql } from '../support/postgres.ts'
import { REDIS_URL } from '../support/redis.ts'
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type Collector, createCollector } from './collector/collector.ts'
import { readHistory } from './collector/read-history.ts'
import { readRecords, readSuspensions } from './collector/read-records.ts'
import { dumpPostgres, dumpRedis } from './dumps.ts'
import { KEYS, MAKERS, type Node, nodeOf, OPERATOR_TOKEN } from './node.ts'

/** Nodes need a Postgres that several may use, and a Redis that may be killed. */
export const HAS_CLUSTER = POSTGRES_URL !== undefined && REDIS_URL !== undefined && HAS_REDIS

/** Why a suite was skipped, as a part of its name. */
export const CLUSTER_HINT = HAS_CLUSTER
  ? ''
  : ' (skipped: needs redis-server, RFQCTL_TEST_REDIS_URL and RFQCTL_TEST_POSTGRES_URL)'

/** What is particular to a node; the rest is the cluster's. */
export type NodeOptions = {
  env?: Record<string, string>
  redisUrl?: string
  databaseUrl?: string
  /** The folder of another build; absent: this one's. */
  root?: string
}

/** A Redis and a database of their own, the nodes on them, and a collector of what they do. */
export type Cluster = {
  redis: OwnRedis
  databaseUrl: string
  collector: Collector
  /** A relay beside the cluster, which has the chain that its nodes stand on and whose faucet pays; null: no chain. */
  chainService: Service | null
  /** What lies between the nodes and that chain. */
  chainWire: TcpProxy | null
  start: (options?: NodeOptions) => Promise<Node>
  startAll: (count: number) => Promise<Node[]>
  sql: <Row>(sql: string) => Promise<Row[]>
  /** Reads all that can be read when nothing happens any more, and checks everything. */
  finish: () => Promise<void>
  remove: () => Promise<void>
}

export type ClusterOptions = {
  /** How long a maker has to sign, in milliseconds. */
  confirmationMs: number
  onChain?: boolean
  /** Whether events are told that no node of this version passes on, so that ids are left out. */
  skipsIds?: boolean
  /** Further settings of all nodes. */
  env?: Record<string, string>
}

/** A cluster without nodes. */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { confirmationMs, onChain = false, skipsIds = false, env = {} } = options
  const redis = await createOwnRedis()
  keep(() => void redis.kill())
  const database = await createDatabase()
  const chain = onChain ? await startChain() : null
  const rpc = new URL(chain?.relay.ready.rpcUrl ?? 'http://127.0.0.1:1')
  const chainWire = chain && (await createTcpProxy({ host: rpc.hostname, port: Number(rpc.port) }))
  const shared = {
    MAKER_API_KEYS: JSON.stringify(KEYS),
    OPERATOR_TOKEN,
    // The more is written, the more could show a secret (invariant V8).
    LOG_LEVEL: 'debug',
    MAKER_CONFIRMATION_MS: String(confirmationMs),
    // The collector knows of each deadline by its end, and of the misses of one request at a time.
    UNPROVEN_CONFIRMATION_MS: String(confirmationMs),
    MAKER_MISSES_BEFORE_DEMOTION: '1000',
    ...chain?.env,
    ...env,
  }
  const secrets = [
    { name: 'the operator token', value: OPERATOR_TOKEN },
    ...KEYS.map(({ makerId, apiKey }) => ({ name: `the key of ${makerId}`, value: apiKey })),
  ]
  const collector = createCollector({ confirmationMs, skipsIds, secrets })
  const nodes: Node[] = []
  /** Where the nodes of now find Redis. */
  let redisInUse = redis.url

  const sql = <Row>(text: string) => runSql<Row>(text, [], database.url)

  async function start(options: NodeOptions = {}): Promise<Node> {
    const { env = {}, redisUrl = redis.url, databaseUrl = database.url, root } = options
    const onTheChain = chainWire === null ? ['--no-chain'] : ['--rpc', `http://127.0.0.1:${chainWire.port}`]
    const flags = [...onTheChain, '--database-url', databaseUrl, '--redis-url', redisUrl]
    const process = await startRelay({ flags, env: { ...shared, ...env }, ...(root === undefined ? {} : { root }) })
    keep(() => process.signal('SIGKILL'))
    const node = collector.watch(nodeOf(process, chain?.relay.ready.rpcUrl ?? null))
    nodes.push(node)
    redisInUse = redisUrl
    return node
  }

  async function serving(): Promise<Node> {
    for (const node of nodes) {
      const answer = await node.service.call('GET', '/readyz').catch(() => null)
      if (answer?.status === 200) return node
    }
    throw new Error('no node serves')
  }

  return {
    redis,
    databaseUrl: database.url,
    collector,
    chainService: chain?.service ?? null,
    chainWire,
    start,
    // The first one makes the tables; the others wait for it.
    startAll: (count) => Promise.all(Array.from({ length: count }, () => start())),
    sql,
    finish: async () => {
      const { violations, check, reread } = collector
      const node = await serving()
      await reread(node)
      // Makers are told in the background: what is told late is late, and what is never told is found.
      let histories: Observation[] = []
      await eventually(
        async () => {
          histories = await Promise.all(MAKERS.map((name) => readHistory(node.maker(name))))
          return violations(histories).filter(({ invariant }) => invariant === 'V3')
        },
        (untold) => untold.length === 0,
      ).catch(() => {})
      check([
        ...histories,
        ...(await readSuspensions(sql)),
        ...(await readRecords(sql)),
        ...nodes.flatMap(({ process }, index): Observation[] => [
          { kind: 'sink', name: `the log of node ${index}`, text: process.stderr() },
          { kind: 'sink', name: `the output of node ${index}`, text: process.stdout() },
        ]),
        { kind: 'sink', name: 'Redis', text: await dumpRedis(redisInUse) },
        { kind: 'sink', name: 'Postgres', text: await dumpPostgres(database.url) },
      ])
    },
    remove: async () => {
      const processes = [...nodes.map(({ process }) => process), ...(chain === null ? [] : [chain.relay])]
      for (const { signal } of processes) signal('SIGKILL')
      await Promise.all(processes.map(({ exited }) => exited))
      await chainWire?.close()
      await redis.kill()
      await database.drop()
    },
  }
}

/** A chain that several relays stand on: the relay that brings it, and what tells others where it is. */
export type SharedChain = { relay: RelayProcess; service: Service; flags: string[]; env: Record<string, string> }

/** A relay of its own with a chain, and what tells others to stand on it. */
export async function startChain(): Promise<SharedChain> {
  const relay = await startRelay({ flags: ['--memory'] })
  keep(() => relay.signal('SIGKILL'))
  const { rpcUrl, chainId, settlementAddress, coreAddress, stablecoinAddress } = relay.ready
  return {
    relay,
    service: createService(relay.ready),
    flags: ['--rpc', String(rpcUrl)],
    env: {
      CHAIN_ID: String(chainId),
      SETTLEMENT_ADDRESS: settlementAddress,
      CORE_ADDRESS: coreAddress,
      STABLECOIN_ADDRESS: stablecoinAddress,
      RESOLUTION_SIGNER_KEY: createDevAccounts().resolutionSigner.privateKey,
    },
  }
}
