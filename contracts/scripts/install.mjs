// Installs what builds and tests the contracts (contracts/package.json), when it is not there as the lock file says. Forge,
// the compiler and OpenZeppelin are 96 MB that nobody needs who only runs the market: the contracts are committed compiled.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))
const lock = readFileSync(`${folder}package-lock.json`, 'utf8')
const installed = `${folder}node_modules/.installed-lock.json`

if (!isInstalled()) {
  console.error('installing Forge, the Solidity compiler and OpenZeppelin, once')
  execFileSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] })
  writeFileSync(installed, lock)
}

function isInstalled() {
  try {
    return readFileSync(installed, 'utf8') === lock
  } catch {
    return false
  }
}
