import { accessSync, constants, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findAnvilBinary } from '../../src/devnet/binary.ts'

it('finds an Anvil that can be run on this machine', () => {
  expect(() => accessSync(findAnvilBinary(), constants.X_OK)).not.toThrow()
})

it('says what to do where npm installed none, by the version that the package names', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = optionalDependencies['@foundry-rs/anvil']
  expect(() => findAnvilBinary('sunos', 'x64')).toThrow(
    'The embedded chain needs Anvil, but the package @foundry-rs/anvil-sunos-amd64 is not installed. ' +
      `Run \`npm install --no-save @foundry-rs/anvil-sunos-amd64@${version}\``,
  )
  expect(() => findAnvilBinary('linux', 'riscv64')).toThrow('@foundry-rs/anvil-linux-riscv64')
})
