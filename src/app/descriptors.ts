import { readFileSync } from 'node:fs'

/** Descriptors for files, the store, Redis and the chain. */
const RESERVE = 256

/** How many connections the descriptors of this process leave room for; null where the system does not tell their number. */
export function connectionsThatFit(): number | null {
  const max = descriptorLimit()
  return max === null ? null : Math.max(Math.floor(max / 2), max - RESERVE)
}

/** The soft limit, on Linux. */
function descriptorLimit(): number | null {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return max === undefined ? null : Number(max)
  } catch {
    return null
  }
}
