import type { CommitLeases } from '../../../src/relay/core/ports/live.ts'
import type { Stop } from '../../../src/relay/core/ports/runtime.ts'
import type { MarketParts } from './parts.ts'

/** As in the Redis adapter, milliseconds. */
const LEASE_MS = 3_000
const RENEW_MS = 1_000

/** Commits that run on any node: each is a lease of the node that runs it. */
export function createMarketLeases({ clock, run, listen, freshId }: MarketParts): CommitLeases {
  const renew = (requestId: string, owner: string): Promise<boolean> =>
    run('renew', (server, caller) => server.call('renew', caller, [requestId, owner, LEASE_MS]))

  function keepRenewing(requestId: string, owner: string): Stop {
    let stopTimer: Stop
    const arm = () => {
      stopTimer = clock.schedule(clock.now() + RENEW_MS, () => {
        renew(requestId, owner).catch(() => {})
        arm()
      })
    }
    arm()
    return () => stopTimer()
  }

  return {
    begin: async (requestId, terms, waitingFor) => {
      const owner = freshId()
      const claim = { owner, terms, leaseMs: LEASE_MS, waitingFor }
      const acquired = await run('acquire', (server, caller) => server.call('acquire', caller, [requestId, claim]))
      if (acquired.kind === 'ended') return acquired
      if (acquired.kind === 'running') return { kind: 'running', leaseId: acquired.owner, terms: acquired.terms }
      const stopRenewing = keepRenewing(requestId, owner)
      return {
        kind: 'begun',
        isOwner: () => renew(requestId, owner),
        end: async (outcome) => {
          stopRenewing()
          await run('conclude', (server, caller) => server.call('conclude', caller, [requestId, owner, outcome]))
        },
      }
    },
    isRunning: (requestId) => run('isRunning', (server, caller) => server.call('isRunning', caller, [requestId])),
    onEnd: (leaseId, listener) => listen(`ended:${leaseId}`, () => listener()),
  }
}
