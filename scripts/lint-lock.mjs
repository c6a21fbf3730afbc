/**
 * Looks at the lock files: whatever they may install is named by its hash, and by nobody's registry, nothing that comes with a
 * relay runs a script when it is installed, and workspaces agree on the version of each package. npm leaves a hash out, without
 * a word, for a package of another platform that it did not find when the lock was made.
 */
import { readFileSync } from 'node:fs'

const LOCKS = ['package-lock.json', 'contracts/package-lock.json']

/** A workspace has nothing of its own but its manifest, and the link to it. */
const WORKSPACE = /^(?:src|node_modules\/@rfqctl)\/\w+$/

function faultsOf(path, { integrity, resolved, hasInstallScript, dev }) {
  if (WORKSPACE.test(path)) return []
  if (path.startsWith('src/')) return [`${path} is a second version`]
  return [
    ...(/^sha512-/.test(integrity ?? '') ? [] : [`${path} has no hash`]),
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
  console.log(`${lock}: ${entries.length} packages, each with its hash`)
}
