import { describe, expect, test } from 'vitest'

const { releaseChangelog }: { releaseChangelog: (text: string, version: string, day: string) => string } = await import(
  new URL('../../scripts/release.mjs', import.meta.url).href
)

const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a thing\n\n## [0.1.0] - 2026-01-01\n\n- the first\n'

describe('a release', () => {
  test('moves what is unreleased under its version and day, and leaves the heading for what comes next', () => {
    expect(releaseChangelog(CHANGELOG, '0.2.0', '2026-02-03')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- a thing\n\n## [0.1.0] - 2026-01-01\n\n- the first\n',
    )
  })

  test.each([
    ['nothing is new', CHANGELOG.replace('- a thing\n', ''), '0.2.0', 'nothing under [Unreleased]'],
    ['the version is there', CHANGELOG, '0.1.0', 'has 0.1.0 already'],
    ['there is no heading for it', '# Changelog\n', '0.2.0', 'no heading [Unreleased]'],
  ])('is refused where %s', (_, text, version, why) => {
    expect(() => releaseChangelog(text, version, '2026-02-03')).toThrow(why)
  })
})
