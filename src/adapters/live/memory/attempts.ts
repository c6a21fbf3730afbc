import type { Attempts } from '../../../relay/ports/attempts.ts'

/** The commits of a single process, which knows itself what it runs: whoever begins one here is alone. */
export const createLocalAttempts = (): Attempts => ({
  begin: async () => ({ kind: 'begun', isHeld: async () => true, end: async () => {} }),
  isRunning: async () => false,
  onEnd: () => () => {},
})
