import { accessSync, constants, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeFailure } from '../../../src/cli/errors/describe-failure.ts'
import { findAnvilBinary } from '../../../src/sandbox/chain/anvil.ts'

it('finds an Anvil that can be run on this machine', () => {
  expect(() => accessSync(findAnvilBinary(), constants.X_OK)).not.toThrow()
})

it('says what to do where npm installed none, by the version that the package names', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const missing = `@foundry-rs/anvil-linux-riscv64@${optionalDependencies['@foundry-rs/anvil-linux-amd64']}`
  expect(failureOf(() => findAnvilBinary('linux', 'riscv64'))).toMatchObject({
    code: 'anvil_missing',
    message: 'The embedded chain needs Anvil, but the package @foundry-rs/anvil-linux-riscv64 is not installed.',
    hint: `npm install --no-save ${missing}; or use your own node with --rpc, or no chain with --no-chain`,
    exitCode: 8,
  })
})

function failureOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return describeFailure(error)
  }
}
