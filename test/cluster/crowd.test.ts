import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { isExtension } from '../../src/client/transparency.ts'
import { sha256, verifyEd25519 } from '../../src/lib/ed25519.ts'
import { type Checkpoint, parseCheckpoint, parseNote } from '../../src/protocol/domain/checkpoint.ts'
import { createQuality } from '../../src/protocol/domain/quality.ts'
import { type Transcript, verifyTranscript } from '../../src/protocol/domain/transcript.ts'
import { decodeQuality } from '../../src/protocol/wire/quality.ts'
import { decodeTranscript } from '../../src/protocol/wire/transcript.ts'
import type { MakerSocket } from '../kit/socket.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { type Node, OPERATOR_TOKEN } from './node.ts'
import { signEverything } from './sign-everything.ts'
import { useCluster } from './use-cluster.ts'

const TAKERS = 6
/** Trades that are done on each node that is killed, before it is. */
const TRADES_PER_KILL = 15
const KILLS = Number(process.env.RFQCTL_CROWD_KILLS ?? 3)

/**
 * Requests that takers contend for, and how many at a time; each of `TURNS` cancels at another moment. A busy machine needs more of
 * them until each kind of call has won.
 */
const CONTESTED = 64
const MOST_CONTESTED = 8 * CONTESTED
const CONTENDERS = 4
const TURNS = 8
const CANCEL_STEP_MS = 4
const POLL_EVERY_MS = 5

/** What a kill takes at most, with the trades before it and the start of another node, in milliseconds. */
const KILL_MS = 40_000

/** What makers have the nodes hold for them, which trips again and again. Ada is always there. */
const PROTECTIONS: Readonly<Record<string, object>> = {
  bob: { cancelOnDisconnect: { graceMs: 1_000 } },
  cyd: { windows: [{ ms: 10_000, maxAccepted: 2 }], freezeMs: 1_000 },
}

describe.skipIf(!HAS_CLUSTER)(`a crowd on three nodes${CLUSTER_HINT}`, { timeout: KILLS * KILL_MS }, () => {
  const inUse = useCluster(3, { confirmationMs: 4_000, env: { TRANSPARENCY_LOG: 'on' } })
  let stable: [Node, Node]
  /** The node that is killed and replaced. */
  let frail: Node
  let trades = 0
  const sockets = new Map<string, MakerSocket>()
  /** The head of the log after each kill. */
  const checkpoints: Checkpoint[] = []

  beforeAll(async () => {
    const [a, b, c] = inUse.nodes as [Node, Node, Node]
    stable = [b, c]
    frail = a
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      const node = stable[index % 2] as Node
      await node.maker(name).connect()
      await (await node.maker(name).stream()).until('snapshot_complete')
      const { status } = await node.maker(name).call('PUT', '/v1/mm/protections', PROTECTIONS[name] ?? {})
      expect(status).toBe(200)
      await signOn(name)
    }
  })

  /** Signs whatever a maker is asked to, on another socket once one has closed: a relay drops a reader that is slow to answer. */
  async function signOn(name: string): Promise<void> {
    const socket = await signEverything(name, [() => stable[1], () => frail, () => stable[0]])
    sockets.set(name, socket)
    void socket.closed.then(() => signOn(name)).catch(() => {})
  }

  /** Any node, for the n-th time that one is asked. */
  const nodeFor = (n: number): Node => [stable[0], frail, stable[1]][n % 3] as Node

  /** A taker that trades on whatever node comes next, and asks elsewhere when one has gone. */
  async function takeWhile(seed: number, goesOn: () => boolean): Promise<void> {
    for (let n = seed; goesOn(); n += 1) await trade(n).catch(() => {})
  }

  async function trade(n: number): Promise<void> {
    const { requestId, takerSecret } = await nodeFor(n).service.open()
    try {
      if (await commitOn(requestId, n)) return
    } catch {
      // A node has gone.
    }
    // A relay has room for so many open requests, and one that is left open lives for minutes.
    await stable[0].service.call('POST', `/quote-requests/${requestId}/cancel`, { body: { takerSecret } })
  }

  /** Whether the request was traded. */
  async function commitOn(requestId: string, n: number): Promise<boolean> {
    for (const [index, name] of ['ada', 'bob', 'cyd'].entries()) {
      await nodeFor(n + index)
        .maker(name)
        .quote(requestId, { price: 0.1 + ((n + index) % 5) / 100 })
    }
    // What is best is seen by the collector, which knows what was quoted (invariant V7).
    await nodeFor(n + 1).service.call('GET', `/quote-requests/${requestId}/quotes`)
    const commit = await stable[0].service.proven(requestId)
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const answer = await nodeFor(n + attempt)
        .service.commit(requestId, commit)
        .catch(() => null)
      if (answer?.status !== 200) continue
      await (stable[n % 2] as Node).service.commit(requestId, commit)
      trades += 1
      return true
    }
    return false
  }

  it('trades on while one of them is killed again and again, and nothing that must hold is broken (invariants V1 to V11)', async () => {
    let goesOn = true
    const takers = Array.from({ length: TAKERS }, (_, index) => takeWhile(index, () => goesOn))
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = trades
      await expect.poll(() => trades - before).toBeGreaterThan(TRADES_PER_KILL)
      frail.process.signal('SIGKILL')
      await frail.process.exited
      checkpoints.push(await checkpointOf(stable[0]))
      // What it has promised, another one keeps.
      await inUse.cluster.collector.reread(stable[0])
      frail = await inUse.cluster.start()
      inUse.cluster.collector.check()
    }
    const heard = () => sockets.get('cyd')?.messages.all() ?? []
    await expect.poll(() => heard().some(({ type }) => type === 'protection:tripped')).toBe(true)
    goesOn = false
    await Promise.all(takers)
    inUse.cluster.collector.check()
  })

  /** Two wallets commit on all nodes, their taker cancels before, at once or after, and others poll; counts who was answered 200. */
  async function contend(n: number): Promise<void> {
    const { requestId, takerSecret } = await nodeFor(n).service.open()
    await nodeFor(n + 1)
      .maker('ada')
      .quoted(requestId)
    const wallets = [await stable[0].service.proven(requestId), await stable[0].service.proven(requestId)] as const
    const path = `/quote-requests/${requestId}`
    const cancel = async () => {
      const answer = await nodeFor(n).service.call('POST', `${path}/cancel`, { body: { takerSecret } })
      if (answer.status === 200) won.cancel += 1
    }
    const commit = async (index: number) => {
      const answer = await nodeFor(n + index).service.commit(requestId, wallets[index % 2 === 0 ? 0 : 1])
      if (answer.status === 200) won.commit += 1
    }
    let isOver = false
    const poll = async (index: number) => {
      while (!isOver) {
        await nodeFor(index).service.call('GET', `${path}/quotes`)
        won.poll += 1
        await delay(POLL_EVERY_MS)
      }
    }
    // A node that is killed answers nothing, and the call may have had its effect.
    const attempt = (work: Promise<void>) => work.catch(() => {})
    const polls = [0, 1, 2].map((index) => attempt(poll(index)))
    const turn = n % TURNS
    if (turn === 0) await attempt(cancel())
    const commits = [0, 1, 2, 3].map((index) => attempt(commit(index)))
    if (turn > 0 && turn < TURNS - 1) await attempt(delay(turn * CANCEL_STEP_MS).then(cancel))
    await Promise.all(commits)
    if (turn === TURNS - 1) await attempt(cancel())
    isOver = true
    await Promise.all(polls)
  }

  const won = { commit: 0, cancel: 0, poll: 0 }
  const hasEachWon = () => Math.min(won.commit, won.cancel, won.poll) >= TURNS / 2

  it('answers all who act on one request at once as if they came one at a time, also when a node is killed (invariant V17)', async () => {
    const contenders = Array.from({ length: CONTENDERS }, async (_, first) => {
      for (let n = first; n < CONTESTED || (!hasEachWon() && n < MOST_CONTESTED); n += CONTENDERS)
        await contend(n).catch(() => {})
    })
    await expect.poll(() => won.commit).toBeGreaterThan(TURNS)
    frail.process.signal('SIGKILL')
    await frail.process.exited
    frail = await inUse.cluster.start()
    await Promise.all(contenders)
    // Each has won, and the collector has seen it.
    expect(hasEachWon(), JSON.stringify(won)).toBe(true)
    inUse.cluster.collector.check()
  })

  it('has a log in which each price can be verified, and in which no promise is missing', async () => {
    const [node, other] = stable
    const asOperator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }
    const promised = await inUse.cluster.sql<{ id: string }>(`
      select request_id as id from acceptances union select request_id from executions`)
    const logged = () => inUse.cluster.sql<{ id: string }>('select distinct request_id as id from log_leaves')
    // A node looks for promises of another one that is gone every ten seconds.
    await expect.poll(async () => missing(promised, await logged()), { timeout: 40_000, interval: 1_000 }).toEqual([])
    const newest = await checkpointOf(node)
    for (const first of checkpoints)
      expect(await isExtension({ url: node.process.ready.url, sha256 }, { first, second: newest })).toBe(true)
    const quality = createQuality()
    const found = { trades: 0, interrupted: 0, unentered: 0, unexplained: 0 }
    for (const { id } of await logged()) {
      let transcript = {} as Transcript
      const verify = async () => {
        const { text } = await node.service.call('GET', `/v1/quote-requests/${id}/transcript`, asOperator)
        transcript = decodeTranscript(sha256, text) as Transcript
        return verifyTranscript(transcript, { sha256, verify: verifyEd25519 })
      }
      // The order that a node which is gone asked for is entered again by another one, ten seconds later.
      await expect.poll(async () => (await verify()).problems, { timeout: 40_000 }).toEqual([])
      const verified = await verify()
      found.trades += verified.winner === null ? 0 : 1
      found.interrupted += verified.isInterrupted ? 1 : 0
      found.unentered += verified.unentered
      found.unexplained += verified.unexplained
      for (const entry of verified.entries) quality.add(entry)
    }
    expect(found.trades).toBeGreaterThan(TRADES_PER_KILL * KILLS)
    // Those whose entry a killed node took with it.
    expect(found.unexplained).toBeLessThanOrEqual(KILLS)
    const [month] = quality.months()
    const expected = quality.ofMonth(month as string).map(({ makerId, quality }) => ({ makerId, ...quality }))
    for (const one of [node, other]) {
      const { text } = await one.service.call('GET', `/v1/quality?month=${month}`, asOperator)
      const { makers } = decodeQuality(JSON.parse(text))
      expect(makers.map(({ pseudonym: _, ...maker }) => maker)).toEqual(expected)
    }
  })
})

/** Waits for the first one: trades may be done before the log has an entry. */
async function checkpointOf({ service }: Node): Promise<Checkpoint> {
  const read = async () => {
    const { text } = await service.call('GET', '/v1/log/checkpoint')
    return parseCheckpoint(parseNote(text)?.text ?? '')
  }
  await expect.poll(read, { timeout: 20_000 }).not.toBeNull()
  return (await read()) as Checkpoint
}

const missing = (wanted: readonly { id: string }[], had: readonly { id: string }[]): readonly string[] => {
  const ids = new Set(had.map(({ id }) => id))
  return wanted.flatMap(({ id }) => (ids.has(id) ? [] : [id]))
}
