// `npm run contracts:gas`: receipts of every operation on a local chain, beside the goals and beside hand-written Yul that
// does the same work. Exits 1 when a goal is missed or when the table of contracts/gas/README.md is not the one measured;
// `--write` renews that table.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAnvil } from './anvil.mjs'
import { root } from './compile.mjs'
import { createBench, START } from './gas-bench.mjs'

/** Gas goals; docs/internals/performance.md has them beside what was measured. Rows without one are for information. @type {Record<string, number>} */
const goals = {
  'fill, cold': 143_000,
  'fill, busy maker': 109_000,
  'fill, warm': 92_000,
  'fill, taker sells, warm': 94_500,
  'fillWithPermit, warm': 107_000,
  'fillWithPartnerFee, warm': 101_000,
  'fillBatch, each further order': 29_000,
  'createSeries, first of a fixing': 100_000,
  'createSeries, each further one': 54_000,
  'createPackage, two legs': 60_000,
  'createPackage, four legs': 74_000,
  'fill of four legs, cold': 143_000,
  'fill of four legs, busy maker': 109_000,
  'fill of four legs, warm': 92_000,
  settleWithAttestation: 40_500,
  claimHolderPayout: 49_000,
  claimWriterCollateral: 46_000,
  'closePosition, a part': 60_500,
}

/** @typedef {import('./gas-bench.mjs').Measure} Measure */

/** On a chain of its own, since settling moves its time past the expiry. @param {'deployOurs' | 'deployFloor'} deploy */
async function measure(deploy) {
  const anvil = await startAnvil(START)
  try {
    const bench = await createBench(anvil.url)
    const measures = await bench.measureAll(await bench[deploy](), deploy === 'deployOurs')
    if (deploy === 'deployFloor') return measures
    return new Map([...measures, ...(await bench.measureAuthority()), ...(await bench.measureDeployment())])
  } finally {
    anvil.stop()
  }
}

/** Names to the left, figures to the right, as the formatter wants it. @param {string[][]} rows */
function alignedTable([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)))
  const pad = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [head.map(pad), rule, ...rows.map((row) => row.map(pad))].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** @param {Map<string, Measure>} ours @param {Map<string, Measure>} floor */
function tableOf(ours, floor) {
  const figure = (/** @type {number | undefined} */ gas) => gas?.toLocaleString('en-US') ?? ''
  const rows = [...ours].map(([name, { gas }]) => {
    const least = floor.get(name)?.gas
    return [name, figure(gas), figure(goals[name]), figure(least), figure(least && gas - least)]
  })
  return alignedTable([['operation', 'gas', 'goal', 'by hand', 'above it'], ...rows])
}

const ours = await measure('deployOurs')
const floor = await measure('deployFloor')
const faults = []
for (const [name, { gas, logs }] of ours) {
  if (gas > (goals[name] ?? Number.POSITIVE_INFINITY)) faults.push(`${name}: ${gas} gas, goal ${goals[name]}`)
  if (floor.has(name) && logs !== floor.get(name)?.logs)
    faults.push(`${name}: the hand-written contracts do other work`)
}
for (const name of Object.keys(goals)) if (!ours.has(name)) faults.push(`${name}: not measured`)

const measured = tableOf(ours, floor)
console.log(measured)
const readme = join(root, 'contracts/gas/README.md')
const text = readFileSync(readme, 'utf8')
const renewed = text.replace(
  /(<!-- gas -->\n)[\s\S]*?(\n<!-- \/gas -->)/,
  (_, start, end) => `${start}${measured}${end}`,
)
if (process.argv.includes('--write')) writeFileSync(readme, renewed)
else if (renewed !== text)
  faults.push('the table of contracts/gas/README.md is out of date: npm run contracts:gas -- --write')
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
