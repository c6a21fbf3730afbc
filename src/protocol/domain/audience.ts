/** Makers that hear of a request, by makerId: `only` these, or all `except` these. */
export type Audience = { kind: 'only' | 'except'; makers: readonly string[] }

/**
 * Fields of an opening that keep something from makers. A relay that does not know one ignores it: it would show the request to
 * all, or never commit by itself.
 */
export const PRIVATE_FIELDS = ['makers', 'exceptMakers', 'blind', 'standing'] as const

/** Bound on the makers that a request may name. */
export const MAX_NAMED_MAKERS = 50

/**
 * Whether a maker hears of a request.
 * @param audience - Its audience; absent: all makers.
 * @param makerId - The maker.
 * @returns Whether it does.
 * @example
 * isHeardBy({ kind: 'except', makers: ['ada'] }, 'bob') // true
 */
export const isHeardBy = (audience: Audience | undefined, makerId: string): boolean =>
  audience === undefined || audience.makers.includes(makerId) === (audience.kind === 'only')
