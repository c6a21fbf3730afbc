// `npm run contracts:test`: the format, and every forge test against contracts/artifacts. With `--deep`: longer fuzzing,
// at least 50,000 calls of the invariant campaign, branch coverage of contracts/src, and the mutants.
import { checkCoverage } from './coverage.mjs'
import { forge, forgetFailures } from './forge.mjs'
import { huntMutants } from './mutants.mjs'
import { writeVectors } from './vectors.mjs'

const deep = process.argv.includes('--deep')
const isFormatted = () => forge(['fmt', '--check', 'contracts/src', 'contracts/test']).passed
const doTestsPass = () => forge(['test'], { env: deep ? { FOUNDRY_PROFILE: 'deep' } : {} }).passed
const checks = deep ? [isFormatted, doTestsPass, checkCoverage, huntMutants] : [isFormatted, doTestsPass]

forgetFailures()
await writeVectors(10_000)
process.exitCode = checks.every((check) => check()) ? 0 : 1
