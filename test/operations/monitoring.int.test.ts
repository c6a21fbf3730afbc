import { readFileSync } from 'node:fs'
import { parseYaml } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildWhenStale } from '../kit/build.ts'
import { createDatabase, type Database } from '../kit/database.ts'
import { eventually } from '../kit/eventually.ts'
import { closeAll } from '../kit/keep.ts'
import { makerKeys } from '../kit/maker.ts'
import { type RelayProcess, startRelay } from '../kit/relay-process.ts'
import { createService, trade } from '../kit/service.ts'
import { createOwnPrometheus, HAS_PROMETHEUS, type OwnPrometheus, promtool } from '../support/own-prometheus.ts'
import { POSTGRES_URL } from '../support/postgres.ts'

type Alert = { alert: string; expr: string; labels: { severity: string } }
type Dashboard = { panels: { title: string; type: string; targets?: { expr: string }[] }[] }

const read = (path: string) => readFileSync(new URL(`../../docs/deploy/${path}`, import.meta.url), 'utf8')

const RULE_TESTS = new URL('alerts.rules.yml', import.meta.url)
const { groups } = parseYaml(read('alerts.yml')) as { groups: { rules: Alert[] }[] }
const ALERTS = groups.flatMap(({ rules }) => rules)
const DASHBOARD = JSON.parse(read('grafana/rfqctl.json')) as Dashboard

/** What only a relay elsewhere has: the faucet of a sandbox mints, and one signer signs for it (metrics.test.ts has several). */
const ELSEWHERE = /rfqctl_faucet_balance_usd|rfqctl_signer_answers_total/

/** What picks series out of an expression: a metric, with its labels where it names some. */
const selectorsIn = (expression: string): string[] => expression.match(/\b(?:rfqctl_\w+|up)\b(?:\{[^}]*\})?/g) ?? []

/** The expressions of a panel; Grafana puts the time that fits the screen. */
const PANELS = DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '1m') })),
)

describe.skipIf(!HAS_PROMETHEUS)(`alerts${HAS_PROMETHEUS ? '' : ' (skipped: needs prometheus and promtool)'}`, () => {
  it('are rules that Prometheus takes, and so are its settings', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'])).toContain('SUCCESS')
    expect(promtool(['check', 'config', 'prometheus.yml'])).toContain('SUCCESS')
  })

  it('fire when they are to, and at nothing that is like it', () => {
    expect(promtool(['test', 'rules', 'alerts.rules.yml'], [RULE_TESTS])).toContain('SUCCESS')
  })

  it('have a case of each', () => {
    const { tests } = parseYaml(readFileSync(RULE_TESTS, 'utf8')) as { tests: { name: string }[] }
    const cases = tests.map(({ name }) => name)
    expect(cases).toEqual(ALERTS.flatMap(({ alert }) => [`${alert} fires`, `${alert} is silent`]))
  })
})

const CAN_SCRAPE = HAS_PROMETHEUS && POSTGRES_URL !== undefined
const HINT = CAN_SCRAPE ? '' : ' (skipped: needs prometheus, promtool and RFQCTL_TEST_POSTGRES_URL)'

describe.skipIf(!CAN_SCRAPE)(`metrics of two relays that traded${HINT}`, () => {
  let database: Database
  const relays: RelayProcess[] = []
  let prometheus: OwnPrometheus

  beforeAll(async () => {
    await buildWhenStale()
    database = await createDatabase()
    const keys = makerKeys('monitoring', 2)
    const env = { MAKER_API_KEYS: JSON.stringify(keys) }
    // One has a chain and files, the other Postgres: what only one of these counts is there, too.
    relays.push(
      await startRelay({ env }),
      await startRelay({ flags: ['--no-chain', '--database-url', database.url], env }),
    )
    const service = createService((relays[0] as RelayProcess).ready, keys)
    const { maker, created } = await trade(service)
    expect((await maker.quote(created.requestId)).status).toBe(409)
    const { requestId } = await service.open()
    expect((await service.commit(requestId, { wallet: service.wallet().address })).status).not.toBe(200)
    prometheus = await createOwnPrometheus(relays.map(({ ready }) => ready.url))
    await eventually(
      () => prometheus.query('min(count_over_time(up{job="rfqctl"}[1m]))'),
      ([sample]) => Number(sample?.value[1]) > 1,
    )
  })
  afterAll(async () => {
    closeAll()
    await prometheus?.stop()
    for (const relay of relays) await relay.stop()
    await database.drop()
  })

  const selectors = [
    ...new Set([...ALERTS.map(({ expr }) => expr), ...PANELS.map(({ expr }) => expr)].flatMap(selectorsIn)),
  ]

  // A scrape that comes late, on a machine that is held back, leaves a gap until the next one.
  const valuesOf = async (expression: string) => (await prometheus.query(expression)).map(({ value }) => value[1])

  it('both answer it', async () => {
    await expect.poll(() => valuesOf('up{job="rfqctl"}')).toEqual(['1', '1'])
  })

  it.each(selectors.filter((selector) => !ELSEWHERE.test(selector)))('has %s', async (selector) => {
    await expect.poll(() => prometheus.query(selector)).not.toEqual([])
  })

  it.each(PANELS.filter(({ expr }) => !ELSEWHERE.test(expr)))('shows $title: $expr', async ({ expr }) => {
    await expect.poll(() => prometheus.query(expr)).not.toEqual([])
  })

  it('works out every alert, and none that wakes a person', async () => {
    type Rule = { name: string; health: string; state: string; labels: { severity: string } }
    const rulesOf = async () =>
      (await prometheus.ask<{ groups: { rules: Rule[] }[] }>('/api/v1/rules')).groups.flatMap(({ rules }) => rules)
    const rules = await eventually(rulesOf, (known) => known.every(({ health }) => health !== 'unknown'))
    expect(rules.map(({ name }) => name).toSorted()).toEqual(ALERTS.map(({ alert }) => alert).toSorted())
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    expect(rules.filter(({ state, labels }) => state === 'firing' && labels.severity === 'page')).toEqual([])
  })

  it('see the first event of a kind: a counter starts at zero', async () => {
    for (const counter of ['authority_events_total{event="price_voided"}', 'confirmations_total{outcome="missed"}']) {
      await expect.poll(() => valuesOf(`rfqctl_${counter}`)).toEqual(['0', '0'])
    }
  })
})
