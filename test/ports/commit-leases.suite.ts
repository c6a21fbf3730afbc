import { describe, expect, it } from 'vitest'
import type { CommitLease, CommitLeases, CommitOutcome } from '../../src/relay/core/ports/live.ts'

const REFUSED: CommitOutcome = { kind: 'refused', code: 'no_maker_confirmed', detail: 'Nobody.', data: { asked: 2 } }

function begun(lease: CommitLease) {
  if (lease.kind !== 'begun') throw new Error(`not begun, but ${lease.kind}`)
  return lease
}

async function leaseIdOf(leases: CommitLeases, requestId: string): Promise<string> {
  const lease = await leases.begin(requestId, 'other terms', null)
  if (lease.kind !== 'running') throw new Error(`not running, but ${lease.kind}`)
  return lease.leaseId
}

/** What is promised of commits that run. `settled` resolves when what listens does so. */
export function describeCommitLeases(
  name: string,
  create: () => Promise<{ leases: CommitLeases; settled: () => Promise<unknown> }>,
): void {
  describe(`${name}: commits that run`, () => {
    it('begins one of a request at a time, and tells the terms of the one that runs', async () => {
      const { leases } = await create()
      const first = begun(await leases.begin('one', 'terms', null))
      expect(await leases.begin('one', 'terms', null)).toMatchObject({ kind: 'running', terms: 'terms' })
      expect(await leases.begin('one', 'other terms', null)).toMatchObject({ kind: 'running', terms: 'terms' })
      expect([await leases.isRunning('one'), await first.isOwner()]).toEqual([true, true])
      expect(await leases.isRunning('two')).toBe(false)
      begun(await leases.begin('two', 'terms', null))
      await first.end({ kind: 'committed' })
      expect([await leases.isRunning('one'), await leases.isRunning('two')]).toEqual([false, true])
    })

    it('begins another one when the last has ended', async () => {
      const { leases } = await create()
      const first = begun(await leases.begin('one', 'terms', null))
      await first.end(REFUSED)
      begun(await leases.begin('one', 'other terms', null))
      expect(await leases.isRunning('one')).toBe(true)
      expect(await first.isOwner()).toBe(false)
    })

    it('reports the outcome to its followers, and to no one else', async () => {
      const { leases } = await create()
      const first = begun(await leases.begin('one', 'terms', null))
      const waitingFor = await leaseIdOf(leases, 'one')
      await first.end(REFUSED)
      expect(await leases.begin('one', 'terms', waitingFor)).toEqual({ kind: 'ended', outcome: REFUSED })
      expect(await leases.begin('one', 'terms', waitingFor)).toEqual({ kind: 'ended', outcome: REFUSED })
      begun(await leases.begin('one', 'terms', 'another'))
      expect(await leases.begin('one', 'terms', waitingFor)).toMatchObject({ kind: 'running', terms: 'terms' })
    })

    it('says once to each who listens that it is over, and not to who stopped', async () => {
      const { leases, settled } = await create()
      const heard: string[] = []
      const first = begun(await leases.begin('one', 'terms', null))
      const waitingFor = await leaseIdOf(leases, 'one')
      leases.onEnd(waitingFor, () => heard.push('first'))
      leases.onEnd(waitingFor, () => heard.push('second'))
      leases.onEnd(waitingFor, () => heard.push('stopped'))()
      await settled()
      await first.end({ kind: 'committed' })
      await expect.poll(() => heard.length).toBe(2)
      await settled()
      expect(heard).toEqual(['first', 'second'])
    })
  })
}
