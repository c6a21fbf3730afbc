import { Counter, Gauge, Registry } from 'prom-client'
import type { Meter } from '../../core/ports/operations.ts'
import type { RelayerFigures, RelayerMeter } from '../../relayer/ports.ts'
import { createAnswerTimes } from '../metrics/answer-times.ts'

/** Metrics are in coins, as operators buy them; a coin is this many wei. */
const COIN = 1e18

export function createRelayerMetrics(version: string) {
  const registry = new Registry()
  const registers = [registry]
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `rfqctl_relayer_${name}`, help, labelNames, registers })
  const gauge = (name: string, help: string) => new Gauge({ name: `rfqctl_relayer_${name}`, help, registers })
  const submitted = counter('fills_taken_total', 'Fills that were taken.')
  const refused = counter('fills_refused_total', 'Fills that were refused, by code.', 'code')
  const ended = counter('fills_ended_total', 'Fills that ended: filled, or why not.', 'how')
  const paid = counter('coin_paid_total', 'Coin that gas has cost.')
  const paidToday = gauge('coin_paid_today', 'Coin that gas has cost within 24 hours, or may cost yet.')
  const balance = gauge('coin_balance', 'Coin of the wallet.')
  const queued = gauge('fills_queued', 'Fills that wait for their turn.')
  const accepting = gauge('accepting', 'Whether it takes fills: 1 or 0.')
  const build = { name: 'rfqctl_build_info', help: 'Version of the running program.', labelNames: ['version'] }
  new Gauge({ ...build, registers }).set({ version }, 1)
  const answers = createAnswerTimes()

  return {
    meter: {
      submitted: () => submitted.inc(),
      refused: (code) => refused.inc({ code }),
      ended: (how) => ended.inc({ how }),
      paid: (cost) => paid.inc(Number(cost) / COIN),
      answersOf: answers.of,
    } satisfies RelayerMeter & Pick<Meter, 'answersOf'>,
    expose: async (figures: RelayerFigures) => {
      queued.set(figures.queued)
      accepting.set(Number(figures.isAccepting))
      paidToday.set(Number(figures.paidToday) / COIN)
      // Unknown figures are not exported.
      if (figures.coin === null) balance.remove()
      else balance.set(Number(figures.coin) / COIN)
      return { contentType: registry.contentType, text: `${await registry.metrics()}\n${answers.expose()}` }
    },
  }
}
