// Simulates whole venues by seed:
//   npm run simulate -- --seed N | --seeds A..B | --hours H | --minutes M | --plan FILE | --planted [--only NAME]
//   with [--pace busy|day] [--all] and more: docs/internals/testing.md
// The simulation is TypeScript, which the oldest Node that we support does not run: it is bundled, loaded, and taken away again.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
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

const USAGE =
  'npm run simulate -- --seed N | --seeds A..B | --hours H | --minutes M | --plan FILE | --planted [--only NAME] [--pace busy|day] [--all]'

/** Nothing that cannot be read is taken for something else: a run of no seeds would be a verdict of nothing. */
class UsageError extends Error {}

/** A number of an argument, at least `least`. @param {string} name @param {string} text */
function numberOf(name, text, { least = 0, isWhole = true } = {}) {
  const value = Number(text)
  if (text.trim() !== '' && value >= least && Number.isFinite(value) && (!isWhole || Number.isInteger(value)))
    return value
  throw new UsageError(`--${name} must be a${isWhole ? ' whole' : ''} number of at least ${least}, got ${text}`)
}

/** @param {string} file */
function readPlan(file) {
  try {
    const plan = JSON.parse(readFileSync(file, 'utf8'))
    if (Number.isInteger(plan.seed) && Array.isArray(plan.actions)) return plan
  } catch {}
  throw new UsageError(`--plan names no plan that --save has kept: ${file}`)
}

function readArguments() {
  try {
    return parseArgs({
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
        pace: { type: 'string', default: 'busy' },
        all: { type: 'boolean', default: false },
        nodes: { type: 'string', default: '3' },
        intensity: { type: 'string', default: '1' },
        shrink: { type: 'string', default: '60' },
      },
    }).values
  } catch (fault) {
    throw new UsageError(fault instanceof Error ? fault.message.split('. ')[0] : String(fault))
  }
}

/** @param {readonly import('./planted.mjs').PlantedFault[]} faults @param {number} first */
async function searchPlanted(faults, first) {
  let isEachFound = true
  for (const { name, edits, planted = {}, ...search } of faults) {
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
  const { seed, seeds, hours, minutes = '1', plan, planted, only, ...values } = readArguments()
  const first = numberOf('from', values.from)
  const options = {
    from: first,
    to: Number.POSITIVE_INFINITY,
    forMs: Number.POSITIVE_INFINITY,
    minutes: numberOf('busy', values.busy, { least: 1 }),
    pace: values.pace,
    isEndedByFailure: !values.all,
    nodes: numberOf('nodes', values.nodes, { least: 1 }),
    intensity: numberOf('intensity', values.intensity, { least: 0, isWhole: false }),
    shrinkRuns: numberOf('shrink', values.shrink),
    saveTo: values.save ?? null,
  }
  if (!['busy', 'day'].includes(values.pace)) throw new UsageError(`--pace must be busy or day, got ${values.pace}`)
  if (planted) {
    const faults = PLANTED.filter(({ name }) => name.includes(only))
    if (faults.length === 0) throw new UsageError(`--only names no planted fault: ${only}`)
    return searchPlanted(faults, first)
  }
  const kept = plan === undefined ? null : readPlan(plan)
  if (seeds !== undefined && !/^\d+\.\.\d+$/.test(seeds)) throw new UsageError(`--seeds must be A..B, got ${seeds}`)
  const [from = first, to = first] = (seeds ?? '').split('..').map(Number)
  if (seeds !== undefined && to < from) throw new UsageError(`--seeds must begin with the smaller one, got ${seeds}`)
  const one = seed === undefined ? null : numberOf('seed', seed)
  const busyHours = hours === undefined ? null : numberOf('hours', hours, { least: 0.1, isWhole: false })
  const forMs = numberOf('minutes', minutes, { least: 0.1, isWhole: false }) * MINUTE_MS

  const { simulateSeeds, simulateSeed, simulatePlan } = await load()
  if (kept !== null) return simulatePlan(kept)
  if (one !== null) return simulateSeed(one, options)
  if (seeds !== undefined) return simulateSeeds({ ...options, from, to })
  if (busyHours === null) return simulateSeeds({ ...options, forMs })
  const count = Math.ceil((busyHours * HOUR_MINUTES) / options.minutes)
  return simulateSeeds({ ...options, to: first + count - 1 })
}

try {
  process.exitCode = (await run()) ? 0 : 1
} catch (fault) {
  if (!(fault instanceof UsageError)) throw fault
  console.error(`${fault.message}\n${USAGE}`)
  process.exitCode = 2
}
