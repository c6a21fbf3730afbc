// `npm run contracts:test`: every forge test, against contracts/artifacts. With `--deep`: longer fuzzing, at least 50,000
// calls of the invariant campaign, branch coverage of contracts/src, and the mutants.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './compile.mjs'
import { checkCoverage } from './coverage.mjs'
import { forge } from './forge.mjs'
import { huntMutants } from './mutants.mjs'
import { writeVectors } from './vectors.mjs'

const deep = process.argv.includes('--deep')
// A failure that was found once is tried again by forge until it is forgotten, also after the contracts are mended.
for (const memory of ['fuzz', 'invariant'])
  rmSync(join(root, 'contracts/cache', memory), { recursive: true, force: true })

await writeVectors(10_000)
const steps = [() => forge(['test'], { env: deep ? { FOUNDRY_PROFILE: 'deep' } : {} }).passed]
if (deep) steps.push(checkCoverage, huntMutants)
process.exitCode = steps.every((step) => step()) ? 0 : 1
