import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../kit/build.ts'

/** A version of this program that others run, or have data of: a commit of the history. `isRefused`: this version's Postgres lets it trade no more. */
type FormerProgram = { name: string; commit: string; isRefused: boolean }

/** The first program that anybody kept data with. It knows neither protections nor what a wallet owes. */
export const FIRST: FormerProgram = {
  name: 'the first version',
  commit: '8e179c2585c376480000cd92482cb7b80506a049',
  isRefused: true,
}

/** What is built of a commit; the rest of it is not needed to run it. */
const PARTS = [
  'bin',
  'src',
  'scripts',
  'fixtures',
  'contracts/artifacts',
  'package.json',
  'package-lock.json',
  'LICENSE',
]
/** The scope of workspaces. */
const OWN = '@rfqctl'
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json']

/** Where they are kept: whatever takes the installed packages away takes them away, too. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'former-programs')

/** It trades beside this version, but knows neither protections as they are now nor suspensions. */
export const RELEASE_0_2: FormerProgram = {
  name: '0.2.0',
  commit: '6013a9f61e26cf3d115cae2d6ad9454082bacf98',
  isRefused: false,
}

/** It has firm quotes, and reads and writes them as this version does; its Postgres has functions for what this version decides. */
export const LAST_RELEASE: FormerProgram = { name: 'the last release', commit: findRelease(), isRefused: false }

/** Those whose data must open, the oldest first. */
export const FORMER_PROGRAMS: readonly FormerProgram[] = [
  FIRST,
  RELEASE_0_2,
  ...(LAST_RELEASE.commit === RELEASE_0_2.commit ? [] : [LAST_RELEASE]),
]

/** Whether they can be built; not from a shallow clone or a package, which have no history. */
export const HAS_HISTORY: boolean = FORMER_PROGRAMS.every(({ commit }) => git('cat-file', '-e', commit) !== null)

/** Why a suite was skipped, as a part of its name. */
export const HISTORY_HINT = HAS_HISTORY ? '' : ' (skipped: needs the history of the repository)'

/** The folder of a former program, built by its own script and with the packages of this one; it takes seconds, once. */
export async function buildFormer({ commit }: FormerProgram): Promise<string> {
  const built = join(CACHE, commit)
  if (existsSync(built)) return built
  mkdirSync(CACHE, { recursive: true })
  // Files of one run may build it at the same time: the first one to be ready puts it in its place.
  const site = mkdtempSync(join(CACHE, 'building-'))
  try {
    const archive = join(site, 'archive.tar')
    await run('git', ['archive', '--output', archive, commit, ...PARTS, ...SETTINGS], { cwd: ROOT })
    await run('tar', ['-xf', archive], { cwd: site })
    rmSync(archive)
    linkPackages(site)
    await run('npm', ['run', '--silent', 'build'], { cwd: site })
    renameSync(site, built)
  } catch (fault) {
    if (!existsSync(built)) throw fault
  } finally {
    rmSync(site, { recursive: true, force: true })
  }
  return built
}

/** The installed packages of others, and the workspaces of the former program itself. */
function linkPackages(site: string): void {
  const packages = join(site, 'node_modules')
  mkdirSync(join(packages, OWN), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== OWN) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  }
  for (const name of readdirSync(join(site, 'src'))) {
    if (existsSync(join(site, 'src', name, 'package.json'))) {
      symlinkSync(join('..', '..', 'src', name), join(packages, OWN, name))
    }
  }
}

const run = promisify(execFile)

/** What a command of git says; null where it fails. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

/** A release is a commit of scripts/release.mjs. One that this is itself is no former one. */
function findRelease(): string {
  return git('log', '-1', '--format=%H', '--grep=^chore: release [0-9]', 'HEAD~1') ?? ''
}
