import { checkStore } from '../../adapters/store/admin/check.ts'
import { disk } from '../../adapters/store/file/disk.ts'
import { utcText } from '../../domain/utc-text.ts'
import type { Run } from '../cli.ts'
import { plural } from '../terminal/format.ts'
import { factLines } from '../terminal/table.ts'
import { fileStoreDir, noStore } from './file-store.ts'

/** Reads every byte of the file store, also while a relay runs on it, and says whether it is whole. It changes nothing. */
export const run: Run<{ dataDir?: string }> = async (cli, options) => {
  const dir = fileStoreDir(cli, options)
  const found = await checkStore({ disk, dir })
  if (found === null) throw noStore(dir, 'choose another --data-dir')
  const { tables, journal, documentBytes, streamEpoch, moved } = found
  cli.out.print({ type: 'db_check', path: dir, documentBytes, streamEpoch, tables, journal, moved }, [
    `the store in ${dir} is intact${moved === null ? '' : `, and was moved to ${moved.to} at ${utcText(moved.at)}`}`,
    ...factLines(
      [
        ['tables', `${plural(tables.users, 'user')}, ${plural(tables.apiKeys, 'key')}, ${documentBytes} bytes`],
        ['open', `${plural(tables.requests, 'request')}, ${tables.acceptances} of them out for signature`],
        ['settled', plural(tables.resolutions, 'resolution')],
        ['trades', String(journal.executed)],
        ['history', `${plural(journal.priced, 'price')}, ${journal.audited} audit rows`],
      ],
      cli.out.colors,
    ).map((line) => `  ${line}`),
  ])
}
