import { createRequire } from 'node:module'

/** How Foundry's packages name processors. @type {Record<string, string>} */
const architectures = { x64: 'amd64', arm64: 'arm64' }

/**
 * The binary that npm installed for this machine: Anvil with rfqctl, Forge with the tools of the contracts.
 * @param {'forge' | 'anvil'} tool
 * @returns {string}
 */
export function findBinary(tool) {
  const platform = `${process.platform}-${architectures[process.arch] ?? process.arch}`
  return createRequire(import.meta.url).resolve(`@foundry-rs/${tool}-${platform}/bin/${tool}`)
}
