import { spawn } from 'node:child_process'
import type { Environment } from '@rfqctl/relay/config/sources'

/** How long a program may take to say that it could not open a page, in milliseconds; a browser itself goes on. */
const PATIENCE_MS = 2_000

/** Stands for the address in BROWSER, as xdg-open has it. */
const PLACE = '%s'

/**
 * Opens an address in the browser of whoever sits here: that of BROWSER, else of the system. Resolves to whether some program
 * took it; it never fails, since what is opened can be opened by hand.
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

/** Command lines that may open a page, the best first. */
function openers({ BROWSER = '', WSL_DISTRO_NAME }: Environment, platform: NodeJS.Platform): string[][] {
  // As xdg-open reads it: several, with colons between them.
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

/** Without a shell, so that an address is no command; in a group of its own, so that Ctrl-C here leaves the browser alone. */
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
