import { type Line, line, span } from '../../line.ts'
import { type Fact, healthFacts, NO_HEALTH, RATE_SECONDS } from '../../views/health.ts'
import { sparkline } from '../charts.ts'
import { fill } from '../table.ts'
import type { Panel } from './panel.ts'

/** How the relay is doing: its parts, its connections, its process. */
export const drawHealth: Panel = (scene, area) => {
  const facts = healthFacts(scene)
  if (facts === null) return fill([line(span(` ${NO_HEALTH}`, 'faint'))], area)
  const { glyphs, medium } = scene.theme
  const chart = medium === 'speech' ? '' : sparkline(facts.rate, RATE_SECONDS, glyphs, 0)
  return fill(
    [
      ...facts.parts.map(drawFact),
      [],
      ...facts.connections.map(drawFact),
      [],
      ...facts.process.map(drawFact),
      ...(chart === '' ? [] : [line(span(' '.repeat(17)), span(chart, 'good'))]),
      ...(facts.authority.length === 0 ? [] : [[], ...facts.authority.map(drawFact)]),
    ],
    area,
  )
}

const drawFact = ({ name, text }: Fact): Line => [span(` ${name.padEnd(16)}`, 'faint'), ...text]
