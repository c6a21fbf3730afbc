// `npm run contracts:test`: the format, and every forge test against contracts/artifacts. With `--deep`: longer fuzzing,
// at least 50,000 calls of the invariant campaign, branch coverage of contracts/src, and the mutants. `--mutants` hunts
// these alone, and with parts of names or files after it only those.
import { checkCoverage } from './coverage.mjs'
import { forge, forgeAtOnce, forgetFailures } from './forge.mjs'
import { writeFloor } from './gas-floor.mjs'
import { huntMutants } from './mutants.mjs'
import { writeVectors } from './vectors.mjs'

const [mode, ...parts] = process.argv.slice(2)
const isFormatted = () => forge(['fmt', '--check', 'contracts/src', 'contracts/test']).passed
const doTestsPass = () => forge(['test']).passed
const areContractsBuilt = () => forge(['build', '--quiet']).passed
/** Forge runs the two campaigns one after the other, and each takes as long as all that is left of a second processor. */
const doDeepTestsPass = () =>
  forgeAtOnce(
    [
      ['test', '--no-match-contract', '^DisputedSolvencyTest$'],
      ['test', '--match-contract', '^DisputedSolvencyTest$'],
    ],
    { FOUNDRY_PROFILE: 'deep', HISTORIES: '300' },
  )
const areMutantsKilled = () => huntMutants(parts)

/** @param {string | undefined} mode */
function checksOf(mode) {
  if (mode === '--mutants') return [areMutantsKilled]
  if (mode === '--deep') return [isFormatted, areContractsBuilt, doDeepTestsPass, checkCoverage, areMutantsKilled]
  return [isFormatted, doTestsPass]
}

forgetFailures()
await writeVectors(10_000)
writeFloor()
let passed = true
for (const check of checksOf(mode)) passed = passed && (await check())
process.exitCode = passed ? 0 : 1
