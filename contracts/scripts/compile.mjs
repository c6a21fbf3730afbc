import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

/** The repository's root: the paths below and the names in compiler output are relative to it. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** @param {number} runs */
const settingsWith = (runs) => ({
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs },
  metadata: { bytecodeHash: 'none' },
})

/**
 * The settings the contracts are deployed with. via-IR of solc 0.8.28 to 0.8.33 miscompiles transient storage: the
 * exact compiler version is pinned in package.json. No metadata hash, so that a comment does not change the bytecode.
 */
export const productionSettings = settingsWith(25_000)

/** The core's own: 25,000 runs would put it above 24,576 bytes; 700 cost a fill some 90 gas and leave 1,800 bytes. */
const coreSettings = settingsWith(700)

/** The factory is called once, so that its size is most of its cost. */
const small = ['ServiceCore', 'DeploymentFactory']

/** @param {string} contract name of a deployed contract */
export const settingsOf = (contract) => (small.includes(contract) ? coreSettings : productionSettings)

/**
 * "Transient storage can break composability": the guard's slot is cleared at the end of each call. "Code size exceeds": each
 * contract is judged by its own settings, in build.mjs.
 */
const notices = ['2394', '5574']

const resolve = createRequire(import.meta.url).resolve
const openZeppelin = dirname(resolve('@openzeppelin/contracts/package.json'))

/** The file of an import path. @param {string} path */
export const contractFile = (path) =>
  path.startsWith('@openzeppelin/contracts/')
    ? join(openZeppelin, path.slice('@openzeppelin/contracts/'.length))
    : join(root, path)

/** @param {string} path an import path of a Solidity file */
function readImport(path) {
  try {
    return { contents: readFileSync(contractFile(path), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}

/**
 * Every Solidity file directly in a folder.
 * @param {string} folder relative to the root
 * @returns {Record<string, { content: string }>} solc's `sources`
 */
export function sourcesIn(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.sol'))
  return Object.fromEntries(
    names.sort().map((name) => [`${folder}/${name}`, { content: readFileSync(join(root, folder, name), 'utf8') }]),
  )
}

/**
 * Compiles with npm's solc and throws the compiler's own words on any error.
 * @param {Record<string, { content: string }>} sources
 * @param {object} settings standard-json settings without `outputSelection`
 * @param {object} outputSelection
 */
export function compile(sources, settings, outputSelection) {
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  /** @type {{ severity: string, formattedMessage: string }[]} */
  const errors = (output.errors ?? []).filter((/** @type {any} */ e) => e.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'))
  return output
}

/**
 * What the compiler had to say about a build that it finished.
 * @param {{ errors?: { errorCode: string, formattedMessage: string }[] }} output
 */
export function warningsOf(output) {
  return (output.errors ?? []).filter((e) => !notices.includes(e.errorCode)).map((e) => e.formattedMessage)
}

/**
 * Compiles one Yul object to creation code.
 * @param {string} path
 * @param {string} content
 * @returns {`0x${string}`}
 */
export function compileYul(path, content) {
  const settings = {
    evmVersion: productionSettings.evmVersion,
    optimizer: { enabled: true, runs: 1_000_000, details: { yul: true } },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  }
  const input = { language: 'Yul', sources: { [path]: { content } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const objects = Object.values(output.contracts?.[path] ?? {})
  if (objects.length !== 1) throw new Error(JSON.stringify(output.errors))
  return `0x${objects[0].evm.bytecode.object}`
}
