import { createRequire } from 'node:module'

/** How Foundry's packages name processors. @type {Record<string, string>} */
const architectures = { x64: 'amd64', arm64: 'arm64' }

/**
 * The binary that npm installed for this machine. Not the package's launcher: that one ends with 0 whatever the tool said.
 * @param {'forge' | 'anvil'} tool
 * @returns {string}
 */
export function findBinary(tool) {
  const parent = createRequire(import.meta.url).resolve(`@foundry-rs/${tool}/package.json`)
  const platform = `${process.platform}-${architectures[process.arch] ?? process.arch}`
  return createRequire(parent).resolve(`@foundry-rs/${tool}-${platform}/bin/${tool}`)
}
