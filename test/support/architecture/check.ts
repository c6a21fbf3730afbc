import { posix } from 'node:path'
import { type Reach, type Scan, scanSource } from './scan.ts'
import { BARRED_MODULES, RESTRICTIONS, type Restriction, ROOMS, WALLS, type Wall } from './walls.ts'

/** Everything a file does that the walls forbid, one sentence each; `file` is its path below `src/`. */
export function violationsOf(file: string, source: string): string[] {
  const room = ROOMS.find((name) => file.startsWith(`${name}/`))
  if (room === undefined) return [`src/${file} stands in no room of architecture.md`]
  const scan = scanSource(file, source)
  return [...forbiddenImports({ file, room, scan }), ...forbiddenUses(file, scan)]
}

/** The wall of a file: that of the longest matching path. */
function wallOf(file: string): Wall {
  const paths = Object.keys(WALLS).filter((path) => file.startsWith(path))
  const longest = paths.reduce((a, b) => (b.length > a.length ? b : a))
  return WALLS[longest] as Wall
}

function forbiddenImports({ file, room, scan }: { file: string; room: string; scan: Scan }): string[] {
  const wall = wallOf(file)
  const isAllowed = ({ text }: Reach): boolean => {
    if (text === null) return false
    if (!text.startsWith('.'))
      return !BARRED_MODULES.includes(text) && wall.packages.some((name) => matches(text, name))
    const target = posix.join(posix.dirname(file), text)
    return target.startsWith(`${room}/`) || wall.rooms.some((name) => target === name || target.startsWith(`${name}/`))
  }
  const allowed = [...wall.rooms, ...wall.packages].join(', ') || 'nothing outside itself'
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
  const isIn = (rooms: readonly string[]) => rooms.some((room) => file.startsWith(`${room}/`))
  return onlyIn ? !isIn(onlyIn) : isIn(notIn ?? [])
}
