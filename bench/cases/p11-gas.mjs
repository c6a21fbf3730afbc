import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../lab/relay.mjs'

/** What the operations on the contracts cost; exact, so that one run is enough. The table is that of `contracts/gas/README.md`. */
export const p11 = {
  id: 'P11',
  title: 'gas',
  run: async ({ say }) => {
    say('npm run contracts:gas')
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'contracts', 'scripts', 'gas.mjs')], {
      encoding: 'utf8',
    })
    const lines = stdout
      .split('\n')
      .filter((text) => text.startsWith('| '))
      .slice(2)
      .map(lineOf)
    if (lines.length === 0) throw new Error(stderr)
    return { lines, notes: status === 0 ? [] : stderr.trim().split('\n') }
  },
}

/** A row of the table: operation, gas, goal, the same by hand-written code, the difference. */
function lineOf(row) {
  const [, what, gas, goal, floor] = row.split('|').map((cell) => cell.trim())
  const figure = (text) => Number(text.replaceAll(',', ''))
  return {
    what,
    ours: { name: 'contracts', unit: 'gas', samples: [figure(gas)] },
    comparator: { name: 'by hand', unit: 'gas', samples: [figure(floor)] },
    ratio: null,
    goal: goal === '' ? null : { atMost: figure(goal) },
  }
}
