import { BARRED_MODULES, BOUNDARIES, type Boundary, FOLDERS, RESTRICTIONS, type Restriction } from './boundaries.ts'

type Override = { includes: string[]; linter: { rules: { style: Record<string, unknown> } } }

/** The boundaries as a Biome configuration, which biome.json extends: general paths first, because the last match counts. */
export const linterWalls = (): { overrides: Override[] } => ({
  overrides: [...RESTRICTIONS.flatMap(globalsOverride), ...Object.entries(BOUNDARIES).map(importsOverride)],
})

const override = (includes: string[], rule: string, options: unknown): Override => ({
  includes,
  linter: { rules: { style: { [rule]: { level: 'error', options } } } },
})

/** The plain names of a restriction; the linter denies no members, so `Date.now` is left to the test. */
function globalsOverride({ names, notIn, why }: Restriction): Override[] {
  if (notIn === undefined) return []
  const plain = names.filter((name) => /^\w+$/.test(name))
  const includes = notIn.map((folder) => `src/${folder}/**`)
  return [
    override(includes, 'noRestrictedGlobals', { deniedGlobals: Object.fromEntries(plain.map((name) => [name, why])) }),
  ]
}

function importsOverride([path, boundary]: [string, Boundary]): Override {
  const includes = path.includes('/') ? [`src/${path}*`, `src/${path}*/**`] : [`src/${path}/**`]
  return override(includes, 'noRestrictedImports', { patterns: [importPattern(path, boundary)] })
}

/** In the order of gitignore, where the last match counts: all, but files around, but packages, not other folders. */
function importPattern(path: string, { folders, packages }: Boundary): { group: string[]; message: string } {
  const folder = path.split('/')[0]
  const closed = FOLDERS.filter((other) => other !== folder && !folders.includes(other))
  const parts = folders.filter((target) => target.includes('/') && !target.startsWith('../'))
  return {
    group: [
      '**',
      '!../**',
      ...packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
      ...(packages.includes('node:*') ? BARRED_MODULES : []),
      ...(closed.length > 0 ? [`../**/{${closed.join(',')}}/**`] : []),
      ...parts.map((part) => (part.endsWith('.ts') ? `!**/${part}` : `!**/${part}/**`)),
      '!./**',
    ],
    message: `${path} may reach ${[...folders, ...packages].join(', ') || 'nothing outside itself'}.`,
  }
}
