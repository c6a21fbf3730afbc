import { spawn } from 'node:child_process'
import type { Environment } from '@rfqctl/relay/config/sources'

/** Milliseconds for a program to fail to open a page; a browser keeps running. */
const PATIENCE_MS = 2_000

/** Placeholder of the address in BROWSER, as in xdg-open. */
const PLACE = '%s'

/**
 * Tries BROWSER, then the system's browser. Resolves to whether a program accepted the address; never rejects, since a
 * person can open it by hand.
 */
export async function openPage(
  address: string,
  { environment, platform = process.platform }: { environment: Environment; platform?: NodeJS.Platform },
): Promise<boolean> {
  for (const [program, ...args] of openers(environment, platform)) {
    if (program !== undefined && (await opens(program, withAddress(args, address), environment))) return true
  }
  return false
}

function openers({ BROWSER = '', WSL_DISTRO_NAME }: Environment, platform: NodeJS.Platform): string[][] {
  // Colon-separated, as in xdg-open.
  const own = BROWSER.split(':')
    .map((line) => line.split(/\s+/).filter((word) => word !== ''))
    .filter(({ length }) => length > 0)
  if (own.length > 0) return own
  if (platform === 'darwin') return [['open']]
  if (platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler']]
  return WSL_DISTRO_NAME === undefined ? [['xdg-open']] : [['wslview'], ['xdg-open']]
}

const withAddress = (args: readonly string[], address: string): string[] =>
  args.some((arg) => arg.includes(PLACE)) ? args.map((arg) => arg.replaceAll(PLACE, address)) : [...args, address]

/**
 * No shell, so that an address is never a command; its own process group, so that Ctrl-C here does not end the browser.
 */
function opens(program: string, args: readonly string[], env: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env })
    const timer = setTimeout(() => resolve(true), PATIENCE_MS)
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}
