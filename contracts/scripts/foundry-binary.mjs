import { createRequire } from 'node:module'

/** How Foundry's packages name processors. @type {Record<string, string>} */
const architectures = { x64: 'amd64', arm64: 'arm64' }

/**
 * The binary of this machine: Anvil comes with rfqctl, Forge with the tools of the contracts. Where npm has none, `ANVIL` or
 * `FORGE` names one.
 * @param {'forge' | 'anvil'} tool
 * @returns {string}
 */
export function findBinary(tool) {
  const platform = `${process.platform}-${architectures[process.arch] ?? process.arch}`
  const variable = tool.toUpperCase()
  try {
    return (
      process.env[variable] ?? createRequire(import.meta.url).resolve(`@foundry-rs/${tool}-${platform}/bin/${tool}`)
    )
  } catch (cause) {
    throw new Error(`There is no ${tool} for ${platform} here: set ${variable} to the path of one.`, { cause })
  }
}
