import { plural } from '@rfqctl/lib/format'
import { assertPackages } from '@rfqctl/relay/config/packages'
import { type DoctorContext, type Finding, good, warning } from '../check.ts'
import { productionValues } from './settings.ts'

/** A failover of Postgres must not lose trades that were answered. */
export async function checkStandbys(context: DoctorContext): Promise<Finding[]> {
  const { DATABASE_URL: databaseUrl } = productionValues(context).values
  if (databaseUrl === null) return []
  assertPackages('DATABASE_URL')
  const { readStandbys } = await import('@rfqctl/relay/adapters/store/postgres/copies')
  const { count, isSynchronous } = await readStandbys(databaseUrl)
  if (count === 0) return []
  const found = plural(count, 'standby')
  if (isSynchronous) return [good('standbys', `${found}, and Postgres waits for what synchronous_standby_names says`)]
  return [
    warning(
      'standbys',
      `${found}, and no trade waits for any: one that is promoted may lack trades that were answered`,
      'set synchronous_standby_names in Postgres (docs/guides/operator/scaling.md)',
    ),
  ]
}
