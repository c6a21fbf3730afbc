import { readSandbox, walletsOf } from '../../app/sandbox-file.ts'
import type { Address } from '../../domain/units.ts'
import type { Run } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { listKept } from './keystores.ts'

type Row = { name: string; address: Address | null; kind: 'kept' | 'sandbox' }

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'ADDRESS', cell: ({ address }) => address ?? 'needs the password' },
  { heading: 'KEY', cell: ({ kind }) => (kind === 'kept' ? 'yours, password-protected' : 'sandbox, with a known key') },
]

/** Lists the wallets that have a name here. No password is needed. */
export const run: Run<{ dataDir?: string }> = async (cli, options) => {
  const dataDir = dataDirOf(cli, options)
  const sandbox = readSandbox(dataDir)
  const rows: Row[] = [
    ...listKept(dataDir).map(({ name, address }) => ({ name, address, kind: 'kept' as const })),
    ...(sandbox === null ? [] : walletsOf(sandbox)).map(({ name, address }) => ({
      name,
      address,
      kind: 'sandbox' as const,
    })),
  ]
  cli.out.print(
    { type: 'wallets', count: rows.length, wallets: rows },
    rows.length === 0 ? 'no wallets' : tableLines(COLUMNS, rows, cli.out),
  )
  if (rows.length === 0) cli.out.note('Next: rfqctl up, or rfqctl wallet create NAME')
}
