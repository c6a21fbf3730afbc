import { randomUUID } from 'node:crypto'
import type { CommitLeases } from '../../../core/ports/live.ts'
import type { Stop } from '../../../core/ports/runtime.ts'
import type { RedisParts } from './subscriptions.ts'

/** Lifetime of a lease without renewal, and the interval of renewals, in milliseconds. */
const LEASE_MS = 3_000
const RENEW_MS = 1_000

/** Commits that run on any node, in Redis: each is a lease of the node that runs it. */
export function createRedisCommitLeases({ run, subscriptions, clock }: RedisParts): CommitLeases {
  /** A lease that cannot be renewed expires, as leases are meant to. */
  function keepRenewing(requestId: string, owner: string): Stop {
    let stopTimer: Stop
    const arm = () => {
      stopTimer = clock.schedule(clock.now() + RENEW_MS, () => {
        run('renew', requestId, owner, LEASE_MS).catch(() => {})
        arm()
      })
    }
    arm()
    return () => stopTimer()
  }

  return {
    begin: async (requestId, terms, waitingFor) => {
      const fresh = randomUUID()
      const [kind, owner = '', running = '', outcome = ''] = await run<readonly string[]>(
        'acquire',
        ...[requestId, fresh, terms, LEASE_MS, waitingFor ?? ''],
      )
      if (kind === 'ended') return { kind, outcome: JSON.parse(outcome) }
      if (kind === 'running') return { kind, leaseId: owner, terms: running }
      const stopRenewing = keepRenewing(requestId, fresh)
      return {
        kind: 'begun',
        isOwner: async () => (await run<number>('renew', requestId, fresh, LEASE_MS)) === 1,
        end: async (ending) => {
          stopRenewing()
          await run('conclude', requestId, fresh, JSON.stringify(ending))
        },
      }
    },
    isRunning: async (requestId) => (await run<number>('is_running', requestId)) === 1,
    onEnd: (leaseId, listener) => subscriptions.listen(`ended:${leaseId}`, () => listener()),
  }
}
