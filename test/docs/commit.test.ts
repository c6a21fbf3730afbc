import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { walkCommit } from '../support/commit-walk.ts'

const PAGE = fileURLToPath(new URL('../../docs/internals/commit.md', import.meta.url))

it('docs/internals/commit.md shows the steps that the machine takes', async () => {
  const renewed = readFileSync(PAGE, 'utf8').replace(/```mermaid\n[^`]*```/, () => `\`\`\`mermaid\n${draw()}\n\`\`\``)
  await expect(renewed).toMatchFileSnapshot(PAGE)
})

/** The machine as an arrow for each pair of states, with what leads from one to the other. */
function draw(): string {
  const arrows = new Map<string, Set<string>>()
  for (const { from, learned, to } of walkCommit()) {
    const arrow = `${from.at} --> ${to.at === 'ended' ? endOf(to.end.kind) : to.at}`
    arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(learned.replaceAll('_', ' ')))
  }
  const lines = [...arrows].map(([arrow, words]) => `  ${arrow}: ${[...words].toSorted().join(', ')}`)
  return [
    'stateDiagram-v2',
    '  [*] --> resuming',
    ...lines.toSorted(),
    '  committed --> [*]',
    '  refused --> [*]',
  ].join('\n')
}

const endOf = (kind: string): string => (kind === 'committed' ? 'committed' : 'refused')
