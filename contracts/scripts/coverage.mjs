import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './compile.mjs'
import { forge } from './forge.mjs'

const report = 'contracts/cache/lcov.info'

/** The places of an lcov report that no test reached, as `file:line`. @param {string} lcov */
function uncovered(lcov) {
  let file = ''
  /** @type {Set<string>} */
  const places = new Set()
  for (const line of lcov.split('\n')) {
    const [kind, rest = ''] = line.split(/:(.*)/s)
    const fields = rest.split(',')
    if (kind === 'SF') file = rest
    if (kind === 'DA' && fields[1] === '0') places.add(`${file}:${fields[0]}`)
    if (kind === 'BRDA' && (fields[3] === '0' || fields[3] === '-')) places.add(`${file}:${fields[0]} (a branch)`)
  }
  return [...places]
}

/**
 * Whether the tests that name a behaviour (unit and attack) reach every line and branch of contracts/src. Measured on a
 * plain build: via-IR moves code so far that a place in the bytecode says little about a line.
 */
export function checkCoverage() {
  const args = [
    'coverage',
    '--report',
    'lcov',
    '--report-file',
    report,
    '--no-match-coverage',
    'contracts/test|node_modules',
  ]
  const { passed, output } = forge([...args, '--match-path', 'contracts/test/{unit,attack}/**'], {
    env: { CONTRACTS: 'src' },
    quiet: true,
  })
  if (!passed) {
    console.error(output)
    return false
  }
  const lcov = readFileSync(join(root, report), 'utf8')
  const missed = uncovered(lcov)
  const branches = lcov.match(/^BRDA:/gm)?.length ?? 0
  console.log(`coverage: ${branches} branches, ${missed.length} places that no named test reaches`)
  for (const place of missed) console.error(`  ${place}`)
  return branches > 0 && missed.length === 0
}
