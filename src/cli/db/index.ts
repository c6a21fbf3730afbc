import type { Command } from 'commander'
import { type Attach, withExamples } from '../declare/command.ts'
import { parsePostgresUrl } from '../declare/parse.ts'

/** What an operator does to the store. */
export function addDbCommands(program: Command, attach: Attach): void {
  const db = program.command('db').description('Check, back up, restore and migrate the store (operators)')

  const check = db.command('check').description('Read all of the file store and say whether it is whole')
  attach(withExamples(check, 'rfqctl db check'), () => import('./check.ts'))

  const backup = db.command('backup').description('Copy the file store, also while the relay runs')
  attach(
    withExamples(backup.argument('<folder>', 'where to: one that is not there yet'), 'rfqctl db backup backup-1'),
    () => import('./backup.ts'),
  )

  const restore = db.command('restore').description('Put a backup in the place of the file store')
  attach(
    withExamples(restore.argument('<folder>', 'the folder of a backup'), 'rfqctl db restore backup-1'),
    () => import('./restore.ts'),
  )

  const migrate = db
    .command('migrate')
    .description('Bring the store to the format of this version')
    .option('--database-url <url>', 'the store is this Postgres (default: DATABASE_URL, else the file store)')
  attach(withExamples(migrate, 'rfqctl db migrate'), () => import('./migrate.ts'))

  const move = db
    .command('move')
    .description('Carry the file store over into an empty Postgres, each row compared')
    .requiredOption('--to <url>', 'the database', parsePostgresUrl)
  attach(withExamples(move, 'rfqctl db move --to postgres://127.0.0.1/rfqctl'), () => import('./move.ts'))
}
