import { RfqError } from '../domain/errors.ts'
import type { Stop } from '../relay/ports/clock.ts'

/** Who holds a stream or a socket open. */
export type Holder = { apiKey: string | null; address: string }

/** Counts live streams and sockets and refuses too many with `too_many_connections`. */
export type ConnectionLimits = { take: (holder: Holder) => Stop }

/** When to come back, in seconds: connections come and go quickly. */
const RETRY_AFTER_S = 5

/** Limits per key and per address; null is none. Connections without a key count only for their address. */
export function createConnectionLimits(limits: {
  maxStreamsPerKey: number
  maxStreamsPerAddress: number | null
}): ConnectionLimits {
  const keys = createCounter(limits.maxStreamsPerKey)
  const addresses = createCounter(limits.maxStreamsPerAddress ?? Number.POSITIVE_INFINITY)

  return {
    take: ({ apiKey, address }) => {
      const leaveAddress = addresses.take(address)
      try {
        const leaveKey = apiKey === null ? () => {} : keys.take(apiKey)
        return () => {
          leaveKey()
          leaveAddress()
        }
      } catch (refusal) {
        leaveAddress()
        throw refusal
      }
    },
  }
}

function createCounter(max: number): { take: (name: string) => Stop } {
  const counts = new Map<string, number>()
  return {
    take: (name) => {
      const count = counts.get(name) ?? 0
      if (count >= max) throw new RfqError('too_many_connections', { data: { retryAfterS: RETRY_AFTER_S } })
      counts.set(name, count + 1)
      return () => {
        const left = (counts.get(name) ?? 0) - 1
        if (left > 0) counts.set(name, left)
        else counts.delete(name)
      }
    },
  }
}
