import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { compile, root, sourcesIn } from './compile.mjs'
import { didTestFail, forge, forgetFailures } from './forge.mjs'
import { control, mutants } from './mutant-list.mjs'

/** Mutants compile plainly: a fault of the source shows whatever the optimizer does, and four times sooner. */
const settings = { evmVersion: 'cancun' }
const outputSelection = { '*': { '*': ['evm.bytecode.object'] } }
/** The quick tests first, the rest only when those have not noticed. */
const selections = ['contracts/test/{unit,attack,pin}/**', 'contracts/test/{fuzz,differential,invariant}/**']

/** @typedef {Record<string, { content: string }>} Sources */
/** @typedef {{ file: string, find: string, replace: string }} Edit */

/** @param {Sources} sources @param {string} folder */
function writeArtifacts(sources, folder) {
  const { contracts } = compile(sources, settings, outputSelection)
  mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['ServiceCore', 'ServiceRFQSettlement', 'TestUSD', 'DeploymentFactory', 'QuorumSigner']) {
    const bytecode = `0x${contracts[`contracts/src/${name}.sol`][name].evm.bytecode.object}`
    writeFileSync(join(root, folder, `${name}.json`), JSON.stringify({ abi: [], bytecode }))
  }
}

/**
 * Whether some test fails, and names itself. Throws where forge fails in another way: that says nothing of the mutant.
 * @param {Sources} sources @param {string} folder
 */
function isKilled(sources, folder) {
  writeArtifacts(sources, folder)
  const failures = {
    FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: `${folder}/fuzz`,
    FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: `${folder}/invariant`,
  }
  return selections.some((selection) => {
    forgetFailures(folder)
    const args = ['test', '--fail-fast', '--match-path', selection]
    return didTestFail(forge(args, { env: { CONTRACTS: folder, ...failures }, quiet: true }))
  })
}

/** @param {string} name @returns {(sources: Sources, edit: Edit) => Sources} */
const withEdit = (name) => (sources, edit) => {
  const { file, find, replace } = edit
  const parts = sources[file].content.split(find)
  if (parts.length !== 2) throw new Error(`mutant "${name}": its place occurs ${parts.length - 1} times in ${file}`)
  return { ...sources, [file]: { content: parts.join(replace) } }
}

/** The sources with the fault in them. @param {import('./mutant-list.mjs').Mutant} mutant */
function mutated({ name, also, ...edit }) {
  return [edit, ...(also ?? [])].reduce(withEdit(name), sourcesIn('contracts/src'))
}

/**
 * Applies every one, so that a changed source that leaves one without its place fails at once, and so does a fault that is
 * on the list twice: it would be counted twice.
 */
function checkPlaces() {
  /** @type {Map<string, string>} */
  const names = new Map()
  for (const mutant of [control, ...mutants]) {
    const text = JSON.stringify(mutated(mutant)).replaceAll(/\s|\\n/g, '')
    const first = names.get(text)
    if (first !== undefined) throw new Error(`mutants "${first}" and "${mutant.name}" are the same fault`)
    names.set(text, mutant.name)
  }
}

/**
 * Mutants that are left after `--part 2/4` (every fourth, from the second on) and parts of names or files; every one when
 * there are neither.
 * @param {readonly string[]} args
 */
function chosenOf(args) {
  const [place, of] = args[0] === '--part' ? String(args[1]).split('/').map(Number) : [1, 1]
  if (!(place >= 1 && place <= of)) throw new Error('--part takes a place and a number of parts, such as 2/4')
  const parts = args[0] === '--part' ? args.slice(2) : args
  const named = mutants.filter(
    ({ name, file }) => parts.length === 0 || parts.some((part) => name.includes(part) || file.includes(part)),
  )
  const chosen = named.filter((_, index) => index % of === place - 1)
  if (chosen.length === 0) throw new Error(`no mutant has ${parts.join(' or ')} in its name or file`)
  return chosen
}

/**
 * Applies mutants, two at a time where there are two processors, and says whether the tests killed them all. Each worker
 * begins with the control, which changes nothing and must survive: else its kills would say nothing.
 * @param {readonly string[]} [args] see chosenOf
 */
export async function huntMutants(args = []) {
  checkPlaces()
  const chosen = chosenOf(args)
  const left = [...chosen]
  /** @type {string[]} */
  const survivors = []
  let isControlAlive = true
  /** @param {number} place */
  const hunt = (place) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: `contracts/cache/mutant-${place}` })
      const next = () => worker.postMessage(isControlAlive ? left.shift() : undefined)
      worker.on('error', reject)
      worker.on('exit', resolve)
      worker.on('message', ({ name, isKilled, seconds }) => {
        console.log(`${isKilled ? 'killed' : 'SURVIVED'} in ${seconds} s: ${name}`)
        if (name === control.name) isControlAlive = isControlAlive && !isKilled
        else if (!isKilled) survivors.push(name)
        next()
      })
      worker.postMessage(control)
    })
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, (_, place) => hunt(place)))
  if (!isControlAlive) {
    console.error('mutants: the tests fail without any fault')
    return false
  }
  console.log(`mutants: ${chosen.length - survivors.length} of ${chosen.length} killed`)
  for (const name of survivors) console.error(`  survived: ${name}`)
  return survivors.length === 0
}

if (!isMainThread) {
  parentPort?.on('message', (mutant) => {
    if (!mutant) return process.exit()
    const begun = Date.now()
    const killed = isKilled(mutated(mutant), workerData)
    parentPort?.postMessage({ name: mutant.name, isKilled: killed, seconds: Math.round((Date.now() - begun) / 1000) })
  })
}
