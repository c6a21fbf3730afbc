import { describe, expect, test } from 'vitest'
import { formatTradesCsv } from '../../src/client/trade-csv.ts'
import { readTradeHistory, type WalletTrade } from '../../src/client/trade-history.ts'
import { createTradeChain } from './fake-trade-chain.ts'

async function oneTrade(change: Partial<WalletTrade> = {}): Promise<WalletTrade> {
  const chain = createTradeChain()
  chain.fill({ seriesId: 7n, isMaker: false, isBuyer: true, amount: 100n, premium: 10_000_000n, fee: 25_000n })
  chain.fill({ seriesId: 7n, isMaker: true, isBuyer: false, amount: 40n, delivered: 40n, premium: 3_000_001n })
  const [trade] = (await readTradeHistory(chain.wallet())).trades
  return { ...(trade as WalletTrade), market: 'Will it rain?', ...change }
}

/** The cell of a column in the only line of trades, as a spreadsheet reads it. */
function cellOf(csv: string, column: string): string {
  const cells = [...csv.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(?:,|\r\n|$)/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  )
  const names = csv.split('\r\n')[0]?.split(',') ?? []
  return cells[names.length + names.indexOf(column)] ?? ''
}

describe('the history as a table for spreadsheets', () => {
  test('has a line for each trade with all fields, exact dollars and the transaction of each event', async () => {
    const csv = formatTradesCsv([await oneTrade()])
    expect(csv.split('\r\n')).toEqual([
      'opened,closed,market,option,expiry,side,state,options,held,written,premium_paid,premium_received,fees,paid,received,paid_out,profit,cost,claimable,transfers,series_id,events',
      [
        '1970-01-01T00:16:41Z,,Will it rain?,call 0.45,2128-06-11T08:53:20Z,long,open,100,60,0',
        '10,3.000001,0.025,10.025,3.000001,0,-1.009999,6.015,0,no,7',
        `1970-01-01T00:16:41Z bought 100 0x${'1'.padStart(64, '0')}; 1970-01-01T00:16:42Z sold 40 0x${'2'.padStart(64, '0')}`,
      ].join(','),
    ])
  })

  test('has the names of its columns without a trade, and an empty cell for what is not known', async () => {
    expect(formatTradesCsv([])).toMatch(/^opened,.*,events$/)
    const csv = formatTradesCsv([await oneTrade({ profit: null, cost: null, market: null })])
    expect(['profit', 'cost', 'market', 'closed'].map((column) => cellOf(csv, column))).toEqual(['', '', '', ''])
  })

  test('keeps commas and quotes of a question in its cell, and shows line breaks and escape codes as unsafe', async () => {
    const csv = formatTradesCsv([await oneTrade({ market: 'Will "A, B" win,\r\n"all"?\u001b[2J' })])
    expect(cellOf(csv, 'market')).toBe('Will "A, B" win,\u{fffd}\u{fffd}"all"?\u{fffd}[2J')
    expect(csv.split('\r\n')).toHaveLength(2)
    expect(cellOf(csv, 'state')).toBe('open')
  })

  test('makes no formula of a question or a package', async () => {
    for (const market of ['=1+1', '+1', '-1', '@NOW()', ' =1', '\t=1', '＝1', '＠a']) {
      expect(cellOf(formatTradesCsv([await oneTrade({ market })]), 'market')).toMatch(/^'/)
    }
    const legs = [
      { optionType: 'call', strikeBps: 4_000, quantity: -1 },
      { optionType: 'put', strikeBps: 6_050, quantity: 2 },
    ]
    const csv = formatTradesCsv([await oneTrade({ option: { legs } as never })])
    expect(cellOf(csv, 'option')).toBe("'-1 call 0.4, 2 put 0.605")
  })

  test('leaves negative amounts numbers', async () => {
    expect(cellOf(formatTradesCsv([await oneTrade()]), 'profit')).toBe('-1.009999')
  })
})
