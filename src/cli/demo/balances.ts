import { usd6 } from '../../domain/units.ts'
import { usd } from '../../lib/format.ts'
import type { Output } from '../terminal/output.ts'
import { tableLines } from '../terminal/table.ts'
import { CORE, type Snapshot } from './accounts.ts'
import type { Narrator } from './narrator.ts'

type Row = { name: string; start: bigint; end: bigint }

/**
 * The last word: every account as the chain has it, before and after. What one lost another won, to the last micro-dollar,
 * and the contracts keep nothing.
 */
export function tellBalances(
  out: Output,
  narrator: Narrator,
  { before, after }: { before: Snapshot; after: Snapshot },
): void {
  const rows = [...after].map(([name, { usd: end }]): Row => ({ name, start: before.get(name)?.usd ?? 0n, end }))
  narrator.check(
    'the sum of all changes',
    rows.reduce((sum, { start, end }) => sum + end - start, 0n),
    0n,
  )
  for (const name of [CORE, 'settlement contract'])
    narrator.check(`what the ${name} keeps`, after.get(name)?.usd ?? 0n, 0n)
  const money = (amount: bigint) => usd(usd6(amount))
  const signed = (change: bigint) => (change > 0n ? `+${money(change)}` : money(change))
  const columns = [
    { heading: 'ACCOUNT', cell: ({ name }: Row) => name },
    { heading: 'BEFORE', cell: ({ start }: Row) => money(start), align: 'decimal' as const },
    { heading: 'AFTER', cell: ({ end }: Row) => money(end), align: 'decimal' as const },
    { heading: 'CHANGE', cell: ({ start, end }: Row) => signed(end - start), align: 'decimal' as const },
  ]
  const balances = rows.map(({ name, start, end }) => ({
    account: name,
    before: start,
    after: end,
    change: end - start,
  }))
  out.print({ type: 'balances', balances }, tableLines(columns, rows, out))
}
