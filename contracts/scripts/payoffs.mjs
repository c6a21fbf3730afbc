// `npm run payoffs`: every package of two legs with strikes in whole cents and 10,000 random ones of three and four legs, at all 101
// resolutions. What src/protocol/domain says is compared with a third computation here, and with the core's own code in forge, by hashes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { encodeAbiParameters, keccak256 } from 'viem'
import { compile, productionSettings, root, sourcesIn } from './compile.mjs'
import { forge } from './forge.mjs'
import { optionsOn, packageOf, pairsOf, quantityPairs, ROW_BYTES, rowOf } from './package-rows.mjs'
import { loadDomain } from './vectors.mjs'

const FIRSTS = 198
const DRAWN = 10_000
const PART = 100

/** @typedef {import('./package-rows.mjs').Leg} Leg */

/** A row as src/protocol/domain has it. @param {any} domain @param {Leg[]} legs */
function domainRow(domain, legs) {
  const row = Buffer.alloc(ROW_BYTES)
  row.writeUInt32BE(Number(domain.maxPayoff({ legs })), 0)
  row.writeInt32BE(Number(domain.floorOf({ legs })), 4)
  for (let resolution = 0; resolution <= 100; resolution++) {
    row.writeUInt32BE(Number(domain.payoff({ legs }, resolution)), 8 + 4 * resolution)
  }
  return row
}

/** The row of a package, the same by both computations. @param {any} domain @param {Leg[]} legs */
function agreedRow(domain, legs) {
  const [theirs, ours] = [domainRow(domain, legs), rowOf(legs)]
  if (!theirs.equals(ours)) throw new Error(`src/protocol/domain differs for ${JSON.stringify(legs)}`)
  return theirs
}

/** @param {any} domain @param {Iterable<Leg[]>} packages @param {number} size packages a step of the hash */
function hashOf(domain, packages, size) {
  let hash = Buffer.alloc(32)
  /** @type {Buffer[]} */
  let rows = []
  for (const legs of packages) {
    rows.push(agreedRow(domain, legs))
    if (rows.length < size) continue
    hash = Buffer.from(keccak256(Buffer.concat([hash, ...rows]), 'bytes'))
    rows = []
  }
  return `0x${hash.toString('hex')}`
}

/** The random packages, in parts. @returns {Leg[][][]} */
function drawnParts() {
  /** @type {Leg[][]} */
  const drawn = []
  for (let draw = 0n; drawn.length < DRAWN; draw++) {
    const legs = packageOf(BigInt(keccak256(encodeAbiParameters([{ type: 'uint256' }], [draw]))))
    if (legs !== null) drawn.push(legs)
  }
  return Array.from({ length: DRAWN / PART }, (_, i) => drawn.slice(PART * i, PART * (i + 1)))
}

/** @param {number} jobs @returns {Promise<string[]>} a hash a job, by as many workers as there are processors */
function work(jobs) {
  /** @type {string[]} */
  const hashes = []
  let next = 0
  const run = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(fileURLToPath(import.meta.url))
      const give = () => worker.postMessage(next < jobs ? next++ : null)
      worker.on('error', reject)
      worker.on('exit', resolve)
      worker.on('message', ({ job, hash }) => {
        if (job !== undefined) hashes[job] = hash
        give()
      })
    })
  return Promise.all(Array.from({ length: availableParallelism() }, run)).then(() => hashes)
}

function writeOptimized() {
  const path = 'contracts/test/proof/PackageRows.sol'
  const { contracts } = compile(
    { ...sourcesIn('contracts/src'), [path]: sourcesIn('contracts/test/proof')[path] },
    productionSettings,
    { [path]: { '*': ['evm.bytecode.object'] } },
  )
  const bytecode = `0x${contracts[path].PackageRows.evm.bytecode.object}`
  writeFileSync(join(root, 'contracts/cache/PackageRows.json'), JSON.stringify({ abi: [], bytecode }))
}

async function main() {
  const begun = Date.now()
  mkdirSync(join(root, 'contracts/cache'), { recursive: true })
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`
  await loadDomain()
  const hashes = await work(FIRSTS + DRAWN / PART)
  const options = optionsOn(1).length
  const pairs = ((options * (options - 1)) / 2) * quantityPairs.length
  console.log(
    `${pairs} packages of two legs and ${DRAWN} of three and four: src/protocol/domain and slopes agree, ${seconds()}`,
  )
  writeFileSync(join(root, 'contracts/cache/payoffs.txt'), `${hashes.join('\n')}\n`)
  writeOptimized()
  const { passed } = forge(['test', '--match-path', 'contracts/test/proof/Packages.t.sol'], {
    env: { PAYOFFS: 'contracts/cache/payoffs.txt' },
  })
  console.log(`${passed ? 'the core agrees' : 'the core differs'}, ${seconds()}`)
  process.exitCode = passed ? 0 : 1
}

async function serve() {
  const domain = await loadDomain({ isBuilt: true })
  const options = optionsOn(1)
  const parts = drawnParts()
  parentPort?.on('message', (job) => {
    if (job === null) return process.exit()
    const isPairs = job < FIRSTS
    const packages = isPairs ? pairsOf(options, job) : (parts[job - FIRSTS] ?? [])
    parentPort?.postMessage({ job, hash: hashOf(domain, packages, isPairs ? quantityPairs.length : 1) })
  })
  parentPort?.postMessage({})
}

await (isMainThread ? main() : serve())
