/**
 * Puts `rfqctl` into node_modules/.bin of its own checkout. Without it `npx rfqctl` takes the checkout for a package to be
 * installed: it builds it again into npm's cache, and waits seconds before each command.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const binFolder = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url))
const link = `${binFolder}rfqctl`

// On Windows npm wants a wrapper instead of a link; there `npx rfqctl` works the slow way.
if (existsSync(binFolder) && process.platform !== 'win32') {
  rmSync(link, { force: true })
  symlinkSync('../../bin/rfqctl.js', link)
}
