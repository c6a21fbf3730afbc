/**
 * Looks at the lock files: whatever they may install is named by its hash, and by nobody's registry, and nothing that comes
 * with a relay runs a script when it is installed. npm leaves a hash out, without a word, for a package of another platform
 * that the registry did not have when the lock was made.
 */
import { readFileSync } from 'node:fs'

const LOCKS = ['package-lock.json', 'contracts/package-lock.json']

/**
 * Native programs that the registry of whoever made the lock has for Linux on x64 only: another platform installs them by
 * name and version alone. A new version leaves this list, and comes back to it only by hand.
 */
const WITHOUT_HASH = {
  '@foundry-rs/anvil-': '1.7.1',
  '@foundry-rs/forge-': '1.7.1',
  '@biomejs/cli-': '2.6.8',
  '@oxc-parser/binding-': '0.156.0',
}

const isExcused = (path, { version, optional, os, cpu }) =>
  optional === true &&
  os !== undefined &&
  !(os.includes('linux') && cpu?.includes('x64') && !path.endsWith('-musl')) &&
  Object.entries(WITHOUT_HASH).some(
    ([family, excused]) => path.startsWith(`node_modules/${family}`) && version === excused,
  )

function faultsOf(path, entry) {
  const { integrity, resolved, hasInstallScript, dev } = entry
  return [
    ...(/^sha512-/.test(integrity ?? '') || isExcused(path, entry) ? [] : [`${path} has no hash`]),
    ...(resolved === undefined
      ? []
      : [`${path} names a registry: npm config set omit-lockfile-registry-resolved true`]),
    ...(hasInstallScript && !dev ? [`${path} runs a script when it is installed`] : []),
  ]
}

for (const lock of LOCKS) {
  const { packages } = JSON.parse(readFileSync(new URL(`../${lock}`, import.meta.url), 'utf8'))
  const entries = Object.entries(packages).filter(([path]) => path !== '')
  const faults = entries.flatMap(([path, entry]) => faultsOf(path, entry))
  if (entries.length === 0) faults.push('it is empty')
  if (faults.length > 0) throw new Error(`${lock}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  const excused = entries.filter(([, { integrity }]) => integrity === undefined).length
  console.log(`${lock}: ${entries.length} packages, ${excused} of other platforms without a hash`)
}
