// `npm run contracts:prove`: what solc's model checker proves of contracts/smt with z3, compared with the list in
// contracts/test/README.md. `--write` writes the list anew. `--quick` leaves out what takes minutes. `--controls` asks what must not
// be proven: see controlsOf. Names of contracts after it choose these alone.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import solc from 'solc'
import { inBitVectors } from './bit-vectors.mjs'
import { contractFile, root } from './compile.mjs'
import { coreFunctions } from './core-functions.mjs'
import { faults } from './proof-faults.mjs'

const folder = 'contracts/smt'
const page = 'contracts/test/README.md'
/** Contracts of which the checker's questions alone take minutes. */
const slow = ['CoreProofs', 'LegsProofs', 'PayoffProofs', 'PriceProofs']
const marks = ['<!-- proofs -->\n', '<!-- /proofs -->\n']

/** What a query may cost, in z3's own count, so that the same queries are proven on any machine; most cost a thousandth of it. */
const MOST_STEPS = 600_000_000

/** Ways to search, one after the other while there is no answer: what each finds quickly, others may not. */
const attempts = [['smt.relevancy=0'], ['smt.relevancy=0', 'smt.case_split=2']]

/**
 * @typedef {object} Proof
 * @property {string} name of the contract
 * @property {string} path
 * @property {string} source
 * @property {Property[]} properties
 *
 * @typedef {{ name: string, start: number, end: number, assertions: number }} Property one function
 */

/** Each external function is a property. @param {string} source @returns {Property[]} */
const propertiesOf = (source) =>
  [...source.matchAll(/^ {4}function (\w+)\([\s\S]*?^ {4}\}\n/gm)]
    .filter(([text]) => / external\b/.test(text.slice(0, text.indexOf('{'))))
    .map(({ 0: text, 1: name = '', index: start }) => ({
      name,
      start,
      end: start + text.length,
      assertions: text.match(/\bassert\(/g)?.length ?? 0,
    }))

/** @param {string} file @returns {Proof} */
function readProof(file) {
  const path = `${folder}/${file}`
  const source = readFileSync(join(root, path), 'utf8')
  const name = source.match(/^contract (\w+)/m)?.[1]
  if (name === undefined) throw new Error(`${path} has no contract`)
  return { name, path, source, properties: propertiesOf(source) }
}

const readProofs = () =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.sol') && file !== 'State.sol')
    .map(readProof)

/** @param {string} query of solc @returns {string} */
function answer(query) {
  const input = inBitVectors(query)
  let verdict = 'unknown'
  for (const options of attempts) {
    if (verdict !== 'unknown') break
    const { stdout, error } = spawnSync('z3', ['-in', `rlimit=${MOST_STEPS}`, ...options], { input, encoding: 'utf8' })
    if (error) throw error
    verdict = stdout.split('\n')[0] ?? ''
    if (!['unsat', 'sat', 'unknown'].includes(verdict)) throw new Error(`z3: ${stdout.slice(0, 400)}`)
  }
  // An answer would be a model of what was translated, of which solc can read nothing.
  return verdict === 'unsat' ? 'unsat\n' : 'unknown\n'
}

/**
 * Runs the checker on one contract.
 * @param {{ name: string, path: string, source: string }} proof
 * @param {import('./proof-faults.mjs').Fault} [fault] planted in the sources
 * @returns {number[]} where in the source the assertions are that hold
 */
function placesThatHold({ name, path, source }, fault) {
  /** @param {string} file */
  const read = (file) => {
    const text = readFileSync(contractFile(file), 'utf8')
    if (fault?.file !== file) return text
    const parts = text.split(fault.find)
    if (parts.length !== 2)
      throw new Error(`fault "${fault.name}": its place occurs ${parts.length - 1} times in ${file}`)
    return parts.join(fault.replace)
  }
  /** @param {string} file */
  const readImport = (file) => {
    try {
      const model = file.match(/^contracts\/smt\/(\w+Functions)\.sol$/)?.[1]
      return { contents: model === undefined ? read(file) : coreFunctions(model, read) }
    } catch (error) {
      return { error: String(error) }
    }
  }
  /** @type {unknown} */
  let failure
  /** @param {string} query */
  const smtSolver = (query) => {
    try {
      return { contents: answer(query) }
    } catch (error) {
      failure ??= error
      return { contents: 'unknown\n' }
    }
  }
  const modelChecker = {
    ...{
      engine: 'bmc',
      bmcLoopIterations: 5,
      contracts: { [path]: [name] },
      solvers: ['smtlib2'],
      targets: ['assert'],
    },
    ...{ showProvedSafe: true, showUnproved: true, showUnsupported: true, divModNoSlacks: true },
  }
  const settings = { evmVersion: 'cancun', modelChecker, outputSelection: { '*': { '*': [] } } }
  const input = { language: 'Solidity', sources: { [path]: { content: source } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport, smtSolver }))
  if (failure !== undefined) throw failure
  /** @type {{ errorCode: string, severity: string, formattedMessage: string, sourceLocation?: { start: number } }[]} */
  const messages = output.errors ?? []
  const stray = messages.find(({ errorCode }) => !(errorCode in known))
  if (stray) throw new Error(stray.formattedMessage)
  return messages.filter(({ errorCode }) => errorCode === HOLDS).map(({ sourceLocation }) => sourceLocation?.start ?? 0)
}

const HOLDS = '2961'
const known = {
  [HOLDS]: 'the assertion holds',
  7812: 'the assertion may not hold',
  5840: 'some assertions may not hold',
  3993: 'the engine is to be removed: the other one asks what z3 finds no answer to',
  2018: 'a function could be view or pure',
  2519: 'a name shadows another',
  5667: 'a parameter is not used: an event had it',
  2072: 'so is a variable',
  7737: 'assembly of OpenZeppelin may do anything',
  8364: 'an error of OpenZeppelin is not read',
  5188: 'a power in OpenZeppelin may be any number',
}

/**
 * @typedef {{ proof: Proof, source: string, fault?: import('./proof-faults.mjs').Fault, title: string }} Task
 * @typedef {{ title: string, held: string[], other: string[] }} Answer names of properties
 */

/** @param {Task} task @returns {Answer} */
function carryOut({ proof, source, fault, title }) {
  const changed = source === proof.source ? proof : { ...proof, source, properties: propertiesOf(source) }
  const places = placesThatHold(changed, fault)
  /** @param {Property} property */
  const holds = ({ start, end, assertions }) =>
    assertions > 0 && places.filter((place) => place >= start && place < end).length === assertions
  const names = (/** @type {Property[]} */ some) => some.map(({ name }) => name)
  return {
    title,
    held: names(changed.properties.filter(holds)),
    other: names(changed.properties.filter((one) => !holds(one))),
  }
}

/** The source with one property alone. @param {Proof} proof @param {string} property */
const onlyWith = ({ source, properties }, property) =>
  properties
    .filter(({ name }) => name !== property)
    .reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), source)

/**
 * What must not be proven. In one, each assertion is a condition, and what follows them is false: if that held, no argument would
 * reach the assertions, and they would say nothing. In the others a fault is planted in contracts/src.
 * @param {Proof} proof
 * @returns {Task[]}
 */
const controlsOf = (proof) => [
  {
    proof,
    title: `${proof.name}: the end of each function is reached`,
    source: proof.source
      .replaceAll('assert(', 'require(')
      .replace(/^( {4}function \w+\([\s\S]*?)^ {4}\}\n/gm, (text, body) =>
        / external\b/.test(text.slice(0, text.indexOf('{'))) ? `${body}        assert(false);\n    }\n` : text,
      ),
  },
  ...faults
    .filter((fault) => fault.proof === proof.name)
    .map((fault) => ({ proof, fault, title: `${proof.name}: ${fault.name}`, source: onlyWith(proof, fault.property) })),
]

/**
 * Carries tasks out, two at a time where there are two processors.
 * @param {readonly Task[]} tasks
 * @param {(answer: Answer, task: Task) => void} onAnswer
 */
async function carryOutAll(tasks, onAnswer) {
  const left = [...tasks]
  const work = async () => {
    for (let task = left.shift(); task; task = left.shift()) {
      const begun = Date.now()
      const answered = await new Promise((resolve, reject) => {
        // Expressions of a query are nested thousands deep.
        const worker = new Worker(fileURLToPath(import.meta.url), {
          workerData: task,
          resourceLimits: { stackSizeMb: 256 },
        })
        worker.once('message', resolve)
        worker.once('error', reject)
      })
      const seconds = Math.round((Date.now() - begun) / 1_000)
      console.log(`${task.title}: ${answered.held.length} proven, ${answered.other.length} not, in ${seconds} s`)
      onAnswer(answered, task)
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
}

/** @param {readonly string[]} names */
const listed = (names) => (names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', '))

/** @param {Proof} proof @param {Answer} answered */
const rowOf = ({ name, source }, { held, other }) => {
  const notice = source.match(/@notice ([\s\S]*?)\ncontract/)?.[1]?.replaceAll(/\n\/\/\/ ?/g, ' ') ?? ''
  return `| \`${name}\`: ${notice} | ${listed(held)} | ${listed(other)} |`
}

/** Proofs that were named, or all; `--quick` leaves out the slow ones. @param {readonly string[]} args @param {readonly Proof[]} all */
function chosenOf(args, all) {
  const names = args.filter((arg) => !arg.startsWith('--'))
  const strange = names.filter((name) => !all.some((proof) => proof.name === name))
  // A run of nothing would be a verdict of nothing.
  if (strange.length > 0) throw new Error(`contracts/smt has no ${strange.join(', ')}`)
  if (names.length > 0) return all.filter(({ name }) => names.includes(name))
  return args.includes('--quick') ? all.filter(({ name }) => !slow.includes(name)) : all
}

/** Whether each control stays unproven. @param {readonly Proof[]} proofs */
async function areControlsOpen(proofs) {
  let areOpen = true
  await carryOutAll(proofs.flatMap(controlsOf), ({ title, held, other }, { fault }) => {
    const isOpen = fault === undefined ? held.length === 0 : other.includes(fault.property)
    if (!isOpen) console.error(`  proven, and must not be: ${title}`)
    areOpen = areOpen && isOpen
  })
  return areOpen
}

/**
 * Compares rows with the list on the page, whose others stay, or writes them into it.
 * @param {ReadonlyMap<string, string>} rows by the name of the contract
 * @param {readonly Proof[]} all
 * @param {boolean} isWritten
 */
function isListRight(rows, all, isWritten) {
  const text = readFileSync(join(root, page), 'utf8')
  const [before = '', list = '', after = ''] = text.split(new RegExp(marks.join('|')))
  const former = new Map(list.split('\n').map((line) => [line.match(/^\| `(\w+)`/)?.[1] ?? '', line]))
  const head = ['| contract of `contracts/smt`, and its subject | proven | not proven |', '| --- | --- | --- |']
  const lines = [
    ...head,
    ...all.map(({ name }) => rows.get(name) ?? former.get(name) ?? `| \`${name}\` | not asked yet | |`),
  ]
  const wanted = `${lines.join('\n')}\n`
  if (isWritten) writeFileSync(join(root, page), [before, marks[0], wanted, marks[1], after].join(''))
  if (isWritten || wanted === list) return true
  for (const line of lines) if (!list.includes(line)) console.error(`not as in ${page}: ${line}`)
  console.error('try: npm run contracts:prove -- --write')
  return false
}

async function main() {
  const args = process.argv.slice(2)
  if (spawnSync('z3', ['--version']).error) {
    console.error('error: z3 is not there\ntry: apt-get install z3')
    return false
  }
  const all = readProofs()
  const proofs = chosenOf(args, all)
  /** @type {Map<string, string>} */
  const rows = new Map()
  const tasks = proofs.map((proof) => ({ proof, source: proof.source, title: proof.name }))
  await carryOutAll(tasks, (answered, { proof }) => rows.set(proof.name, rowOf(proof, answered)))
  const areOpen = !args.includes('--controls') || (await areControlsOpen(proofs))
  return isListRight(rows, all, args.includes('--write')) && areOpen
}

if (isMainThread) process.exitCode = (await main()) ? 0 : 1
else parentPort?.postMessage(carryOut(workerData))
