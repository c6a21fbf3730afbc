import type { Environment } from './sources.ts'

/** The environment of this process, read here and nowhere else. */
export const readEnvironment = (): Environment => process.env

/** Whether the environment says that this is production (decision M5). */
export const isProduction = (environment: Environment): boolean => environment.NODE_ENV === 'production'

/** Whether colour is asked not to be used. @see https://no-color.org */
export const forbidsColor = (environment: Environment): boolean => Boolean(environment.NO_COLOR)

/** Whether someone listens to the screen instead of looking at it, in the way that Ink asks for it. */
export const wantsSpeech = (environment: Environment): boolean => environment.INK_SCREEN_READER === 'true'

/** Whether Ink would draw nothing until it ends, as it does where CI is set. */
export const drawsNothing = ({ CI, CONTINUOUS_INTEGRATION }: Environment): boolean =>
  [CI, CONTINUOUS_INTEGRATION].some((value) => value !== undefined && value !== '0' && value !== 'false')

/**
 * Lets React load its release build, for which it asks the environment when it is imported: the other one is slower, and
 * notes every rendering in the process's performance timeline, which never forgets.
 */
export function preferReleaseBuilds(): void {
  process.env.NODE_ENV ??= 'production'
}
