// Simulates whole venues by seed:
//   npm run simulate -- --seed N | --seeds A..B | --hours H | --minutes M | --plan FILE | --planted [NAME]
// The simulation is TypeScript, which the oldest Node that we support does not run: it is bundled, loaded, and taken away again.
import { mkdirSync, rmSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { PLANTED } from './planted.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

// Inside node_modules, so that the packages are found and nothing else looks at it.
const dir = join(ROOT, 'node_modules', '.cache', `rfqctl-simulation-${process.pid}`)

/** A module looks for its files from where it is. */
const keepPlaces = {
  name: 'keep-places',
  transform: (/** @type {string} */ code, /** @type {string} */ id) =>
    code.includes('import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
}

/** Makes each edit once, and fails where the source has no such place. @param {readonly import('./planted.mjs').Edit[]} edits */
function plant(edits) {
  const left = new Set(edits)
  return {
    name: 'plant',
    transform: (/** @type {string} */ code, /** @type {string} */ id) => {
      const own = edits.filter(({ file }) => relative(ROOT, id) === file)
      if (own.length === 0) return null
      let changed = code
      for (const edit of own) {
        const { file, find, replace } = edit
        const count = changed.split(find).length - 1
        if (count !== 1) throw new Error(`${file} has ${count} places to plant a fault at, not 1: ${find}`)
        changed = changed.replace(find, () => replace)
        left.delete(edit)
      }
      return changed
    },
    buildEnd: () => {
      for (const { file } of left) throw new Error(`${file} is not part of the simulation`)
    },
  }
}

let loads = 0

/** @param {readonly import('./planted.mjs').Edit[]} edits */
async function load(edits = []) {
  loads += 1
  const file = join(dir, `main-${loads}.mjs`)
  mkdirSync(dir, { recursive: true })
  try {
    const bundle = await rolldown({
      input: fileURLToPath(new URL('main.ts', import.meta.url)),
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@rfqctl/'),
      plugins: [plant(edits), keepPlaces],
    })
    await bundle.write({ file, format: 'esm', codeSplitting: false })
    await bundle.close()
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const HOUR_MINUTES = 60
const MINUTE_MS = 60_000

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    hours: { type: 'string' },
    minutes: { type: 'string' },
    from: { type: 'string', default: '1' },
    plan: { type: 'string' },
    planted: { type: 'boolean' },
    only: { type: 'string', default: '' },
    save: { type: 'string' },
    busy: { type: 'string', default: '10' },
    nodes: { type: 'string', default: '3' },
    intensity: { type: 'string', default: '1' },
    shrink: { type: 'string', default: '60' },
  },
})

const first = Number(values.from)
const options = {
  from: first,
  to: Number.POSITIVE_INFINITY,
  forMs: Number.POSITIVE_INFINITY,
  minutes: Number(values.busy),
  nodes: Number(values.nodes),
  intensity: Number(values.intensity),
  shrinkRuns: Number(values.shrink),
  saveTo: values.save ?? null,
}

async function searchPlanted() {
  let isEachFound = true
  for (const { name, edits, planted = {}, ...search } of PLANTED.filter((one) => one.name.includes(values.only))) {
    const { findPlanted } = await load(edits)
    const found = await findPlanted(planted, { ...search, forMs: MINUTE_MS, from: first })
    if (found === null) isEachFound = false
    const how =
      found === null
        ? 'NOT FOUND'
        : `found by seed ${found.seed} in ${found.seconds.toFixed(1)} s: ${found.rule}: ${found.sentence}`
    console.log(`${name}: ${how}`)
  }
  return isEachFound
}

async function run() {
  if (values.planted) return searchPlanted()
  const { simulateSeeds, simulateSeed, simulatePlan } = await load()
  if (values.plan !== undefined) return simulatePlan(values.plan)
  if (values.seed !== undefined) return simulateSeed(Number(values.seed), options)
  if (values.seeds !== undefined) {
    const [from, to] = values.seeds.split('..').map(Number)
    return simulateSeeds({ ...options, from, to: to ?? from })
  }
  if (values.hours !== undefined) {
    const seeds = Math.ceil((Number(values.hours) * HOUR_MINUTES) / options.minutes)
    return simulateSeeds({ ...options, to: first + seeds - 1 })
  }
  return simulateSeeds({ ...options, forMs: Number(values.minutes ?? 1) * MINUTE_MS })
}

process.exitCode = (await run()) ? 0 : 1
