import { createRequire } from 'node:module'

/** How the packages of Foundry name processors. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The path of the Anvil binary that npm installed for this machine. Throws an `Error` that says what to do when there is
 * none. We depend on the packages that hold a binary each, of which npm takes the one that fits, and not on the package
 * above them: its launcher would stand between us and the process that we must end, and its install script asks for leave.
 */
export function findAnvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[arch] ?? arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`)
  } catch (cause) {
    throw new Error(
      `The embedded chain needs Anvil, but the package ${name} is not installed. ` +
        'Run `npm install` again without --omit=optional; or use a node of your own with --rpc, or no chain with --no-chain.',
      { cause },
    )
  }
}
