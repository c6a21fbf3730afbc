import type { Link } from './link.ts'

/** A link on which everything arrives at once. */
export const DIRECT: Link = {
  call: async (_what, effect) => effect(),
  send: (_what, deliver) => deliver(),
  set: () => {},
  isUp: () => true,
  isSound: () => true,
  slow: () => {},
  lose: () => {},
}
