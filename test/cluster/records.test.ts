import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { askedToSign } from '../kit/maker.ts'
import { CLUSTER_HINT, HAS_CLUSTER } from './cluster.ts'
import { readRecords } from './collector/read-records.ts'
import type { Node } from './node.ts'
import { useCluster } from './use-cluster.ts'

const CONFIRMATION_MS = 3_000

/** When a miss has been counted, if it is, milliseconds after the deadline. */
const COUNTED_MS = 12_000

describe.skipIf(!HAS_CLUSTER)(`records of makers on three nodes${CLUSTER_HINT}`, () => {
  const inUse = useCluster(3, {
    confirmationMs: CONFIRMATION_MS,
    env: { MAKER_SUSPENSION_MS: '600000', MAKER_SUSPENSION_MIN_OUTCOMES: '2', MAKER_SUSPENSION_BELOW: '60' },
  })
  let a: Node
  let b: Node
  let c: Node

  beforeAll(() => {
    ;[a, b, c] = inUse.nodes as [Node, Node, Node]
  })

  const recordOf = async (name: string) =>
    (await readRecords(inUse.cluster.sql))
      .find(({ makerId }) => makerId === name)
      ?.outcomes.map(({ outcome }) => outcome)

  /** A maker that is connected to one node is asked to sign by a commit on another one. */
  async function asked(name: string, { on, by }: { on: Node; by: Node }) {
    const socket = await on.maker(name).connect()
    const wallet = by.service.wallet().address
    const { requestId } = await by.service.open({ wallet })
    await by.maker(name).quoted(requestId)
    const committing = by.service.commit(requestId, { wallet }).catch(() => null)
    return { socket, requestId, committing, accepted: await askedToSign(socket, requestId) }
  }

  it('count a miss where the node that asked its maker has seen the deadline, and not where it was killed (invariant V12)', {
    timeout: 120_000,
  }, async () => {
    const doomed = await inUse.cluster.start()
    const [left, killed] = await Promise.all([asked('ada', { on: b, by: a }), asked('cyd', { on: doomed, by: a })])
    doomed.process.signal('SIGKILL')
    await Promise.all([left.committing, killed.committing])
    await delay(COUNTED_MS)
    expect(await recordOf('ada')).toEqual(['missed'])
    expect(await recordOf('cyd')).toBeUndefined()
    left.socket.close()
  })

  it('suspend a maker on all of them, also on one that starts later (invariant V12)', {
    timeout: 120_000,
  }, async () => {
    for (const node of [a, b]) {
      const { socket, committing, accepted } = await asked('bob', { on: c, by: node })
      await node.maker('bob').call('POST', `/v1/mm/quotes/${accepted.quoteId}/decline`)
      await committing
      socket.close()
    }
    const late = await inUse.cluster.start()
    const socket = await late.maker('bob').connect()
    const bodies: unknown[] = []
    for (const node of [a, b, c, late]) {
      const { requestId } = await node.service.open()
      const refused = await eventually(
        () => node.maker('bob').quote(requestId),
        ({ status }) => status === 403,
      )
      bodies.push(refused.body)
      const committed = await node.service.commit(requestId, { wallet: node.service.wallet().address })
      expect(committed.body).toMatchObject({ code: 'no_valid_quotes' })
    }
    expect(bodies[0]).toMatchObject({ code: 'maker_suspended', because: [{ kind: 'declined' }, { kind: 'declined' }] })
    for (const body of bodies) expect(body).toEqual(bodies[0])
    expect(socket.messages.all().some(({ type }) => type === 'quote:accepted')).toBe(false)
    socket.close()
    await late.process.stop()
  })
})
