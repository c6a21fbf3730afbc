import type { Command } from 'commander'
import type { Attach } from '../declare/command.ts'
import { parsePostgresUrl } from '../declare/parse.ts'

export function addDbCommands(program: Command, attach: Attach): void {
  const db = program.command('db').description('Check, back up, restore and migrate the store (operators)')

  const check = db.command('check').description('Verify the integrity of the file store')
  attach(check, () => import('./file-store.ts'), 'checkFiles', ['rfqctl db check'])

  const backup = db.command('backup').description('Back up the file store, even while the relay runs')
  attach(
    backup.argument('<folder>', 'folder of the backup, which must not exist yet'),
    () => import('./file-store.ts'),
    'backUp',
    ['rfqctl db backup backup-1'],
  )

  const restore = db.command('restore').description('Replace the file store with a backup')
  attach(restore.argument('<folder>', 'folder of the backup'), () => import('./file-store.ts'), 'restore', [
    'rfqctl db restore backup-1',
  ])

  const migrate = db
    .command('migrate')
    .description('Migrate the store to the format of this version')
    .option('--database-url <url>', 'the Postgres to migrate (default: DATABASE_URL, else the file store)')
  attach(migrate, () => import('./migrate.ts'), 'migrateFormat', ['rfqctl db migrate'])

  const renew = db
    .command('renew')
    .description('Take order nonces and stream ids that no one has had, after a Postgres was restored')
    .option('--database-url <url>', 'the Postgres that was restored (default: DATABASE_URL)')
  attach(renew, () => import('./migrate.ts'), 'renew', ['rfqctl db renew'])

  const move = db
    .command('move')
    .description('Move the file store to an empty Postgres, and compare every row')
    .requiredOption('--to <url>', 'URL of the database', parsePostgresUrl)
  attach(move, () => import('./migrate.ts'), 'moveToPostgres', ['rfqctl db move --to postgres://127.0.0.1/rfqctl'])
}
