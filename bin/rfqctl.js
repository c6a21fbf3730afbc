#!/usr/bin/env node
// Down to the check of its version this must be understood by every Node that knows modules: plain names of Node's own
// modules, no await outside of functions, no syntax younger than 2018.
// biome-ignore lint/style/useNodejsImportProtocol: Node 12 does not know it
import { existsSync, readFileSync } from 'fs'

/** The versions of Node that package.json asks for, as ">=20.19". */
const needed = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).engines.node
const main = new URL('../dist/bundle/main.js', import.meta.url)
const builder = new URL('../scripts/build.mjs', import.meta.url)

if (isOlder(process.versions.node, needed.slice(2))) {
  fail(`rfqctl needs Node ${needed.slice(2)} or later; this is v${process.versions.node}`, 'https://nodejs.org')
} else if (existsSync(main)) {
  void import(main.href)
} else if (existsSync(builder)) {
  void buildAndRun()
} else {
  fail('this rfqctl has no program in it', 'install it again')
}

/** Whether a version is before another, as far as that one goes. */
function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}

/** The first call of a clone that was installed without its scripts. */
async function buildAndRun() {
  console.error('rfqctl is not built yet: building it once, which takes about 10 s')
  try {
    const { build, createTeller } = await import(builder.href)
    const teller = createTeller()
    await build(teller.say)
    teller.done()
  } catch (error) {
    return fail(error.message)
  }
  await import(main.href)
}

function fail(message, hint) {
  console.error(`error: ${message}${hint === undefined ? '' : `\n  try: ${hint}`}`)
  process.exitCode = 1
}
