/**
 * Makes a release: `npm run release -- 0.3.0`. Moves what the changelog has under [Unreleased] to the version and the day,
 * writes the version into package.json and its lock, checks all, commits and tags. It publishes nothing: it prints the
 * commands that do.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const [version = ''] = process.argv.slice(2)

/** @param {string} command @param {...string} argv */
const run = (command, ...argv) => execFileSync(command, argv, { cwd: ROOT, stdio: 'inherit' })
/** @param {...string} argv */
const git = (...argv) => execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8' }).trim()

/** @param {string} text @param {string} to @param {string} day */
export function releaseChangelog(text, to, day) {
  const heading = '## [Unreleased]\n'
  const start = text.indexOf(heading)
  if (start === -1) throw new Error('CHANGELOG.md has no heading [Unreleased]')
  const rest = text.slice(start + heading.length)
  if (!/^- /m.test(rest.split(/^## /m)[0] ?? '')) throw new Error('CHANGELOG.md has nothing under [Unreleased]')
  if (text.includes(`## [${to}]`)) throw new Error(`CHANGELOG.md has ${to} already`)
  return `${text.slice(0, start)}${heading}\n## [${to}] - ${day}\n${rest}`
}

function release() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('usage: npm run release -- MAJOR.MINOR.PATCH')
  if (git('status', '--porcelain') !== '') throw new Error('the working tree has changes that are not committed')
  if (git('branch', '--show-current') !== 'main') throw new Error('a release is made on main')
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`v${version} is tagged already`)
  const file = `${ROOT}CHANGELOG.md`
  writeFileSync(file, releaseChangelog(readFileSync(file, 'utf8'), version, new Date().toISOString().slice(0, 10)))
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts', '--allow-same-version')
  run('npm', 'run', '--silent', 'check')
  run('npm', 'test')
  git('commit', '--all', '--message', `chore: release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `rfqctl ${version}`)
  console.log(`${version} is committed and tagged. To publish it: git push --follow-tags, then npm publish`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    release()
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault)
    process.exitCode = 1
  }
}
