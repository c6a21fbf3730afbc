import { posix } from 'node:path'
import { BARRED_MODULES, BOUNDARIES, type Boundary, FOLDERS, RESTRICTIONS, type Restriction } from './boundaries.ts'
import { type Reach, type Scan, scanSource } from './scan.ts'

/** Everything a file does that the boundaries forbid, one sentence each; `file` is its path below `src/`. */
export function violationsOf(file: string, source: string): string[] {
  const folder = FOLDERS.find((name) => file.startsWith(`${name}/`))
  if (folder === undefined) return [`src/${file} is in no folder of architecture.md`]
  const scan = scanSource(file, source)
  return [...forbiddenImports({ file, folder, scan }), ...forbiddenUses(file, scan)]
}

/** The boundary of a file: that of the longest matching path. */
function boundaryOf(file: string): Boundary {
  const paths = Object.keys(BOUNDARIES).filter((path) => file.startsWith(path))
  const longest = paths.reduce((a, b) => (b.length > a.length ? b : a))
  return BOUNDARIES[longest] as Boundary
}

function forbiddenImports({ file, folder, scan }: { file: string; folder: string; scan: Scan }): string[] {
  const boundary = boundaryOf(file)
  const isAllowed = ({ text }: Reach): boolean => {
    if (text === null) return false
    if (!text.startsWith('.'))
      return !BARRED_MODULES.includes(text) && boundary.packages.some((name) => matches(text, name))
    const target = posix.join(posix.dirname(file), text)
    return (
      target.startsWith(`${folder}/`) ||
      boundary.folders.some((name) => target === name || target.startsWith(`${name}/`))
    )
  }
  const allowed = [...boundary.folders, ...boundary.packages].join(', ') || 'nothing outside itself'
  return scan.imports
    .filter((reach) => !isAllowed(reach))
    .map(({ text, line }) => `src/${file}:${line} imports ${text ?? 'a computed name'}, but may reach ${allowed}`)
}

const matches = (module: string, name: string): boolean =>
  name.endsWith('*') ? module.startsWith(name.slice(0, -1)) : module === name || module.startsWith(`${name}/`)

function forbiddenUses(file: string, { uses }: Scan): string[] {
  const restrictions = RESTRICTIONS.filter((restriction) => applies(restriction, file))
  return uses.flatMap(({ text, line }) =>
    restrictions
      .filter(({ names }) => names.includes(text as string))
      .map(({ why }) => `src/${file}:${line} uses ${text}, but ${why}`),
  )
}

function applies({ onlyIn, notIn }: Restriction, file: string): boolean {
  const isIn = (folders: readonly string[]) => folders.some((folder) => file.startsWith(`${folder}/`))
  return onlyIn ? !isIn(onlyIn) : isIn(notIn ?? [])
}
