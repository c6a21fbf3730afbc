import type { Environment } from './sources.ts'

/** The only place that reads the environment of this process. */
export const readEnvironment = (): Environment => process.env

/** Whether the environment declares production (decision M5). */
export const isProduction = (environment: Environment): boolean => environment.NODE_ENV === 'production'

/** Any value but an empty one counts. @see https://no-color.org */
export const forbidsColor = (environment: Environment): boolean => Boolean(environment.NO_COLOR)

/** Ink's own variable for screen readers. */
export const wantsSpeech = (environment: Environment): boolean => environment.INK_SCREEN_READER === 'true'

/** Ink draws nothing until it ends where CI is set. */
export const drawsNothing = ({ CI, CONTINUOUS_INTEGRATION }: Environment): boolean =>
  [CI, CONTINUOUS_INTEGRATION].some((value) => value !== undefined && value !== '0' && value !== 'false')

/**
 * React picks its build by NODE_ENV when it is imported. The development build is slower, and records every rendering
 * in the process's performance timeline, which never forgets.
 */
export function preferReleaseBuilds(): void {
  process.env.NODE_ENV ??= 'production'
}
