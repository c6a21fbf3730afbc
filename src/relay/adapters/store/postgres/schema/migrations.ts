import { FORMER_STEPS } from './former-steps.ts'
import { FUNCTIONS } from './functions.ts'
import { LOG_TABLES, TABLES, TABLES_SINCE_0_3, TAPE_INDEX } from './tables.ts'

/** A step of the schema; once released it never changes. It must leave the former version of the program working. */
export type Migration = { version: number; sql: string }

/** The schema of a fresh database, which no former program has used: further steps follow. */
export const INITIAL: Migration = { version: 25, sql: `${TABLES}${LOG_TABLES}${TAPE_INDEX}${FUNCTIONS}` }

/** The steps of a database that is there; a function that changes after its release is written again in a step of its own. */
export const MIGRATIONS: readonly Migration[] = [
  ...FORMER_STEPS,
  { version: 23, sql: `${TABLES_SINCE_0_3}${FUNCTIONS}` },
  { version: 24, sql: LOG_TABLES },
  { version: INITIAL.version, sql: TAPE_INDEX },
]

export const SCHEMA_VERSION: number = Math.max(...MIGRATIONS.map(({ version }) => version))
