import { accessSync, constants, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/errors/describe-failure.ts'
import { findAnvilBinary, loadLauncher } from '../../../src/onchain/devnet/anvil.ts'

const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
const LAUNCHER = `@viem/anvil@${optionalDependencies['@viem/anvil']}`
const ANVIL_VERSION = optionalDependencies['@foundry-rs/anvil-linux-amd64']

it('finds an Anvil that can be run on this machine', () => {
  expect(() => accessSync(findAnvilBinary(), constants.X_OK)).not.toThrow()
})

it('says what to do where npm installed none, by the version that the package names', async () => {
  const missing = `@foundry-rs/anvil-linux-riscv64@${ANVIL_VERSION}`
  expect(await failureOf(async () => findAnvilBinary('linux', 'riscv64'))).toMatchObject({
    code: 'anvil_missing',
    message: 'The embedded chain needs Anvil, but the package @foundry-rs/anvil-linux-riscv64 is not installed.',
    hint: `npm install --no-save ${LAUNCHER} ${missing}; or use your own node with --rpc, or no chain with --no-chain`,
    exitCode: 8,
  })
})

it('says the same where the package that starts it was left out, as in production', async () => {
  const leftOut = () => Promise.reject(new Error("Cannot find package '@viem/anvil'"))
  expect(await failureOf(() => loadLauncher(leftOut))).toMatchObject({
    code: 'anvil_missing',
    message: 'The embedded chain needs Anvil, but the package @viem/anvil is not installed.',
    hint: expect.stringContaining(`npm install --no-save ${LAUNCHER} @foundry-rs/anvil-`),
    exitCode: 8,
  })
})

async function failureOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    return describeFailure(error)
  }
}
