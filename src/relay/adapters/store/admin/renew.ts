import { type Epochs, renewStore } from '../postgres/back-in-time.ts'
import { createDatabase } from '../postgres/database.ts'
import { migrate } from '../postgres/migrate.ts'
import { SILENT } from './check.ts'

/**
 * Gives a restored Postgres nonces and epochs that no one has had, whatever it has noticed itself; migrates it first.
 * Null where there is no store. Safe beside running relays: they treat it as any restore. Fails with
 * `store_unavailable` when the database cannot be reached.
 */
export async function renewPostgres(place: { url: string; schema: string }): Promise<Epochs | null> {
  const { query, close } = createDatabase({ ...place, log: SILENT })
  try {
    const [found] = await query<{ name: string | null }>(
      `select to_regclass('${place.schema}.store_meta')::text as name`,
    )
    if (found?.name == null) return null
    await migrate(place)
    return await renewStore({ query })
  } finally {
    await close()
  }
}
