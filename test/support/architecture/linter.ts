import { BARRED_MODULES, RESTRICTIONS, type Restriction, ROOMS, WALLS, type Wall } from './walls.ts'

type Override = { includes: string[]; linter: { rules: { style: Record<string, unknown> } } }

/** The walls as a Biome configuration, which biome.json extends: general paths first, because the last match counts. */
export const linterWalls = (): { overrides: Override[] } => ({
  overrides: [...RESTRICTIONS.flatMap(globalsOverride), ...Object.entries(WALLS).map(importsOverride)],
})

const override = (includes: string[], rule: string, options: unknown): Override => ({
  includes,
  linter: { rules: { style: { [rule]: { level: 'error', options } } } },
})

/** The plain names of a restriction; the linter denies no members, so `Date.now` is left to the test. */
function globalsOverride({ names, notIn, why }: Restriction): Override[] {
  if (notIn === undefined) return []
  const plain = names.filter((name) => /^\w+$/.test(name))
  const includes = notIn.map((room) => `src/${room}/**`)
  return [
    override(includes, 'noRestrictedGlobals', { deniedGlobals: Object.fromEntries(plain.map((name) => [name, why])) }),
  ]
}

function importsOverride([path, wall]: [string, Wall]): Override {
  const includes = path.includes('/') ? [`src/${path}*`, `src/${path}*/**`] : [`src/${path}/**`]
  return override(includes, 'noRestrictedImports', { patterns: [importPattern(path, wall)] })
}

/** In the order of gitignore, where the last match counts: all, but files around, but packages, not other rooms. */
function importPattern(path: string, { rooms, packages }: Wall): { group: string[]; message: string } {
  const room = path.split('/')[0]
  const closed = ROOMS.filter((other) => other !== room && !rooms.includes(other))
  const parts = rooms.filter((target) => target.includes('/') && !target.startsWith('../'))
  return {
    group: [
      '**',
      '!../**',
      ...packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
      ...(packages.includes('node:*') ? BARRED_MODULES : []),
      ...(closed.length > 0 ? [`../**/{${closed.join(',')}}/**`] : []),
      ...parts.map((part) => `!**/${part}/**`),
      '!./**',
    ],
    message: `${path} may reach ${[...rooms, ...packages].join(', ') || 'nothing outside itself'}.`,
  }
}
