import { createRequire } from 'node:module'

/** How the packages of Foundry name processors. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/** The one that package.json names. */
const ANVIL_VERSION = '1.7.1'

/** The package with Anvil for this machine is not installed; `hint` is what to do. */
export class MissingAnvilError extends Error {
  override readonly name = 'MissingAnvilError'
  readonly hint: string

  constructor(packageName: string, cause: unknown) {
    super(`The embedded chain needs Anvil, but the package ${packageName} is not installed.`, { cause })
    this.hint =
      `npm install --no-save ${packageName}@${ANVIL_VERSION}; ` +
      'or use your own node with --rpc, or no chain with --no-chain'
  }
}

/**
 * The path of the Anvil binary that npm installed for this machine. Throws a `MissingAnvilError` where there is none. We
 * depend on the packages that hold a binary each, of which npm takes the one that fits, and not on the package above them:
 * its launcher would stand between us and the process that we must end, and its install script asks for leave.
 */
export function findAnvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[arch] ?? arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`)
  } catch (cause) {
    throw new MissingAnvilError(name, cause)
  }
}
