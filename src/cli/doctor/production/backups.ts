import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { duration, plural } from '@rfqctl/lib/format'
import { checkStore } from '@rfqctl/relay/adapters/store/admin/check'
import { disk } from '@rfqctl/relay/adapters/store/file/disk'
import { assertPackages } from '@rfqctl/relay/config/packages'
import { type DoctorContext, type Finding, good, unseen, warning } from '../check.ts'
import { backupDir, productionValues, refusal } from './settings.ts'

const DAY_MS = 86_400_000

/** More entries than anyone keeps. */
const MAX_ENTRIES = 10_000

/** A backup is due within a day: a file in `BACKUP_DIR`, else what Postgres archived. */
export async function checkBackups(context: DoctorContext): Promise<Finding[]> {
  const { values } = productionValues(context)
  const { DATABASE_URL: databaseUrl } = values
  const folder = backupDir(context, values)
  if (folder !== null) return [folderFinding(folder, databaseUrl !== null)]
  if (databaseUrl !== null) {
    assertPackages('DATABASE_URL')
    const { readArchivedAgeMs } = await import('@rfqctl/relay/adapters/store/postgres/copies')
    return [archiveFinding(await readArchivedAgeMs(databaseUrl))]
  }
  if ((await checkStore({ disk, dir: context.dataDir })) === null) return [unseen('backups', 'there is no store yet')]
  return [refusal('backups', 'no BACKUP_DIR is set, so that no backup is known', `${TAKE_FILES}, and set BACKUP_DIR`)]
}

const TAKE_FILES = 'back up every day: rfqctl db backup FOLDER'
const TAKE_DUMPS = 'back up every day, such as: pg_dump -Fc --file FILE "$DATABASE_URL"'

function folderFinding(folder: string, isPostgres: boolean): Finding {
  const take = isPostgres ? TAKE_DUMPS : TAKE_FILES
  const ageMs = newestAgeMs(folder)
  if (ageMs === null) return refusal('backups', `${folder} has no backup`, take)
  const found = `the newest backup in ${folder} is ${duration(Math.max(0, ageMs))} old`
  return ageMs <= DAY_MS
    ? good('backups', `${found}; whether it can be restored is not looked at`)
    : refusal('backups', found, take)
}

/** Age in milliseconds of the newest non-empty file in the folder or its direct subfolders; null without any. */
function newestAgeMs(folder: string): number | null {
  const entries = statsIn(folder)
  const files = entries.flatMap(({ path, stats }) => (stats.isDirectory() ? statsIn(path) : [{ path, stats }]))
  const times = files.filter(({ stats }) => stats.isFile() && stats.size > 0).map(({ stats }) => stats.mtimeMs)
  return times.length === 0 ? null : Date.now() - times.reduce((newest, time) => Math.max(newest, time))
}

function statsIn(folder: string): { path: string; stats: Stats }[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .slice(-MAX_ENTRIES)
    .flatMap((name) => {
      const path = join(folder, name)
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ path, stats }]
    })
}

function archiveFinding(ageMs: number | null): Finding {
  if (ageMs === null) {
    const found = 'no BACKUP_DIR is set, and Postgres has archived nothing'
    return refusal('backups', found, `${TAKE_DUMPS}, and set BACKUP_DIR`)
  }
  const found = `Postgres archived its log ${duration(ageMs)} ago`
  return ageMs <= DAY_MS
    ? good('backups', `${found}; whether there is a base backup is not looked at`)
    : refusal('backups', found, 'look at archive_command in the log of Postgres')
}

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
