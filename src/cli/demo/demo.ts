import { usdText } from '@rfqctl/protocol/domain/decimal'
import { breakpointsOf } from '@rfqctl/protocol/domain/option'
import { profitsOf } from '@rfqctl/protocol/domain/profit'
import { usd6 } from '@rfqctl/protocol/domain/units'
import type { Snapshot } from '@rfqctl/sandbox/scenarios/demo/balances'
import { runDemo } from '@rfqctl/sandbox/scenarios/demo/demo'
import type { Offered } from '@rfqctl/sandbox/scenarios/demo/trade'
import type { Run } from '../cli.ts'
import { payoffDiagram } from '../show/payoff-diagram.ts'
import type { Output } from '../terminal/output.ts'
import { createPause, createReporter } from '../terminal/reporter.ts'
import { tableLines } from '../terminal/table.ts'

/** Exit code 0: every number matched. */
export const run: Run<{ speed: number }> = async ({ out, cwd, stop }, { speed }) => {
  await runDemo({
    cwd,
    stop,
    reporter: createReporter(out, { pause: createPause(speed, stop) }),
    onOffer: (offer) => printOffer(out, offer),
    onBalances: (balances) => printBalances(out, balances),
  })
  out.note('Next: rfqctl up --open')
}

/** Below the sentences of the story. */
const INDENT = ' '.repeat(10)

function printOffer(out: Output, { option, ...offer }: Offered): void {
  const width = out.width === null ? null : out.width - INDENT.length
  const lines = payoffDiagram(profitsOf(option, offer), { colors: out.colors, width })
  out.print(
    { type: 'offer', ...offer, breakpoints: breakpointsOf(option) },
    lines.map((line) => INDENT + line),
  )
}

type Row = { name: string; start: bigint; end: bigint }

function printBalances(out: Output, { before, after }: { before: Snapshot; after: Snapshot }): void {
  const rows = [...after].map(([name, { usd: end }]): Row => ({ name, start: before.get(name)?.usd ?? 0n, end }))
  const money = (amount: bigint) => usdText(usd6(amount), 4)
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
