import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './compile.mjs'
import { findBinary } from './foundry-binary.mjs'

const environmentWith = (/** @type {Record<string, string>} */ env) => ({
  ...process.env,
  FOUNDRY_CONFIG: join(root, 'contracts/foundry.toml'),
  ...env,
})

/**
 * Runs npm's forge with the repository as its root and contracts/foundry.toml as its settings.
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, quiet?: boolean }} [options] `quiet` captures the output instead of showing it
 * @returns {{ passed: boolean, output: string }}
 */
export function forge(args, { env = {}, quiet = false } = {}) {
  const { status, stdout } = spawnSync(findBinary('forge'), [...args, '--root', root], {
    cwd: root,
    env: environmentWith(env),
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'ignore' : 'inherit'],
    maxBuffer: 2 ** 28,
    encoding: 'utf8',
  })
  return { passed: status === 0, output: stdout ?? '' }
}

/**
 * Runs several at once, each of which shows its output. What they test must be compiled.
 * @param {readonly string[][]} runs arguments of each
 * @param {Record<string, string>} env
 * @returns {Promise<boolean>} whether all passed
 */
export async function forgeAtOnce(runs, env) {
  const codes = await Promise.all(
    runs.map(async (args) => {
      const options = { cwd: root, env: environmentWith(env), stdio: /** @type {const} */ ('inherit') }
      const [code] = await once(spawn(findBinary('forge'), [...args, '--root', root], options), 'exit')
      return code
    }),
  )
  return codes.every((code) => code === 0)
}

/**
 * Whether a test failed, by its name; false if all passed. Throws where forge failed in another way, such as out of memory.
 * @param {{ passed: boolean, output: string }} run of `forge test`
 */
export function didTestFail({ passed, output }) {
  if (passed) return false
  if (/^\[FAIL/m.test(output)) return true
  throw new Error(`forge failed, and no test did:\n${output.slice(-2_000)}`)
}

/**
 * Forge tries a failure it once found again before anything else, also after the contracts were mended or mutated back.
 * @param {string} [folder] where it keeps them
 */
export function forgetFailures(folder = 'contracts/cache') {
  for (const kind of ['fuzz', 'invariant']) rmSync(join(root, folder, kind), { recursive: true, force: true })
}
