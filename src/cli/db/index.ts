import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { parsePostgresUrl } from '../declare/parse.ts'

export function addDbCommands(program: Command, attach: Attach): void {
  const db = program.command('db').description('Check, back up, restore and migrate the store (operators)')

  const check = db.command('check').description('Verify the integrity of the file store')
  attach(withExamples(check, 'rfqctl db check'), async () => (await import('./file-store.ts')).checkFiles)

  const backup = db.command('backup').description('Back up the file store, even while the relay runs')
  attach(
    withExamples(
      backup.argument('<folder>', 'folder of the backup, which must not exist yet'),
      'rfqctl db backup backup-1',
    ),
    async () => (await import('./file-store.ts')).backUp,
  )

  const restore = db.command('restore').description('Replace the file store with a backup')
  attach(
    withExamples(restore.argument('<folder>', 'folder of the backup'), 'rfqctl db restore backup-1'),
    async () => (await import('./file-store.ts')).restore,
  )

  const migrate = db
    .command('migrate')
    .description('Migrate the store to the format of this version')
    .option('--database-url <url>', 'the Postgres to migrate (default: DATABASE_URL, else the file store)')
  attach(withExamples(migrate, 'rfqctl db migrate'), async () => (await import('./migrate.ts')).migrateFormat)

  const renew = db
    .command('renew')
    .description('Take order nonces and stream ids that no one has had, after a Postgres was restored')
    .option('--database-url <url>', 'the Postgres that was restored (default: DATABASE_URL)')
  attach(withExamples(renew, 'rfqctl db renew'), async () => (await import('./migrate.ts')).renew)

  const move = db
    .command('move')
    .description('Move the file store to an empty Postgres, and compare every row')
    .requiredOption('--to <url>', 'URL of the database', parsePostgresUrl)
  attach(
    withExamples(move, 'rfqctl db move --to postgres://127.0.0.1/rfqctl'),
    async () => (await import('./migrate.ts')).moveToPostgres,
  )
}
