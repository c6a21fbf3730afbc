import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, root, sourcesIn } from './compile.mjs'
import { forge, forgetFailures } from './forge.mjs'
import { mutants } from './mutant-list.mjs'

const folder = 'contracts/cache/mutant'
/** Mutants compile plainly: a fault of the source shows whatever the optimizer does, and four times sooner. */
const settings = { evmVersion: 'cancun' }
const outputSelection = { '*': { '*': ['evm.bytecode.object'] } }

/** @param {Record<string, { content: string }>} sources */
function writeArtifacts(sources) {
  const { contracts } = compile(sources, settings, outputSelection)
  mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['ServiceCore', 'ServiceRFQSettlement', 'TestUSD']) {
    const bytecode = `0x${contracts[`contracts/src/${name}.sol`][name].evm.bytecode.object}`
    writeFileSync(join(root, folder, `${name}.json`), JSON.stringify({ abi: [], bytecode }))
  }
}

/** Whether some test notices: the quick ones first, the rest only when those have not. */
function isKilled() {
  const selections = [
    ['--match-path', 'contracts/test/{unit,attack}/*'],
    ['--match-path', 'contracts/test/{fuzz,differential,invariant}/*'],
  ]
  return selections.some((selection) => {
    forgetFailures()
    return !forge(['test', '--fail-fast', ...selection], { env: { CONTRACTS: folder }, quiet: true }).passed
  })
}

/** @param {Record<string, { content: string }>} sources @param {(typeof mutants)[number]} mutant */
function applied(sources, { name, file, find, replace }) {
  const parts = sources[file].content.split(find)
  if (parts.length !== 2) throw new Error(`mutant "${name}": its place stands ${parts.length - 1} times in ${file}`)
  return { ...sources, [file]: { content: parts.join(replace) } }
}

/** Applies every mutant in turn and says whether the tests killed them all. */
export function huntMutants() {
  const sources = sourcesIn('contracts/src')
  const prepared = mutants.map((mutant) => ({ name: mutant.name, sources: applied(sources, mutant) }))
  writeArtifacts(sources)
  if (isKilled()) {
    console.error('mutants: the tests fail without any mutant')
    return false
  }
  const survivors = prepared.filter((mutant, index) => {
    writeArtifacts(mutant.sources)
    const killed = isKilled()
    console.log(`mutant ${index + 1} of ${prepared.length}: ${killed ? 'killed' : 'SURVIVED'}: ${mutant.name}`)
    return !killed
  })
  console.log(`mutants: ${prepared.length - survivors.length} of ${prepared.length} killed`)
  return survivors.length === 0
}
