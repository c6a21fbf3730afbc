import { createRequire } from 'node:module'

/** How the packages of Foundry name processors. */
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The path of the Anvil binary that npm installed for this machine. Throws an `Error` that says what to do when there is
 * none. The package's own launcher is not used: it would stand between us and the process that we must end.
 */
export function findAnvilBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[arch] ?? arch}`
  try {
    // Resolved from the parent package, because some installers nest its optional packages below it.
    const parent = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    return createRequire(parent).resolve(`${name}/bin/anvil`)
  } catch (cause) {
    throw new Error(
      `The embedded chain needs Anvil, but the package ${name} is not installed. ` +
        'Run `npm install` again without --omit=optional; or use a node of your own with --rpc, or no chain with --no-chain.',
      { cause },
    )
  }
}
