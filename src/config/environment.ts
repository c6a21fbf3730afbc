import type { Environment } from './sources.ts'

/** The environment of this process, read here and nowhere else. */
export const readEnvironment = (): Environment => process.env

/** Whether the environment says that this is production (ruling M5). */
export const isProduction = (environment: Environment): boolean => environment.NODE_ENV === 'production'

/** Whether colour is asked not to be used. @see https://no-color.org */
export const forbidsColor = (environment: Environment): boolean => Boolean(environment.NO_COLOR)
