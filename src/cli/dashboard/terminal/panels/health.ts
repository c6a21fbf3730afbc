import { type Line, line, span } from '@rfqctl/web/dashboard/line'
import { type Fact, healthFacts, NO_HEALTH, RATE_SECONDS } from '@rfqctl/web/dashboard/views/health'
import { sparkline } from '../charts.ts'
import { fill } from '../table.ts'
import type { Panel } from './panel.ts'

export const drawHealth: Panel = (scene, area) => {
  const facts = healthFacts(scene)
  if (facts === null) return fill([line(span(` ${NO_HEALTH}`, 'faint'))], area)
  const { glyphs, medium } = scene.theme
  const chart = medium === 'speech' ? '' : sparkline(facts.rate, RATE_SECONDS, glyphs, 0)
  return fill(
    [
      ...drawFacts(facts.parts),
      [],
      ...drawFacts(facts.connections),
      [],
      ...drawFacts(facts.process),
      ...(chart === '' ? [] : [line(span(' '.repeat(NAME_WIDTH + 2)), span(chart, 'good'))]),
      ...(facts.authority.length === 0 ? [] : [[], ...drawFacts(facts.authority)]),
    ],
    area,
  )
}

/** Fits most names; a group with a longer one shifts all its texts right. */
const NAME_WIDTH = 15

function drawFacts(facts: readonly Fact[]): Line[] {
  const width = Math.max(NAME_WIDTH, ...facts.map(({ name }) => name.length))
  return facts.map(({ name, text }) => [span(` ${name.padEnd(width)} `, 'faint'), ...text])
}
