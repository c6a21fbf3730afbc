import type { HealthReport } from '../../core/operations.ts'
import { type Html, html } from '../html.ts'
import { policyOf, styleSource } from './policy.ts'

/** Follows the reader's choice of light or dark. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --good: light-dark(#176639, #6fcf97); --bad: light-dark(#b3261e, #ff8a80) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 0 auto; padding: 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: normal }
.up { color: var(--good) }
.down { color: var(--bad); font-weight: bold }
`

/** The page needs nothing but itself: no script, no other address. */
export const STATUS_POLICY = policyOf(`style-src ${styleSource(STYLE)}`)

const REFRESH_S = 30

type Relay = { software: string; mode: 'onchain' | 'simulated'; chainId: number }

type Row = { name: string; state: 'up' | 'down' | 'off'; since: number }

/** Never says why a part does not answer: the reason may name what is behind the relay. */
export function createStatusPage(report: HealthReport, { software, mode, chainId }: Relay): string {
  const { at, isReady, parts, since, head, makersConnected, isSignerActive, vitals } = report
  const signer: Row[] =
    isSignerActive === null ? [] : [{ name: 'Settlement', state: isSignerActive ? 'up' : 'down', since: since.signer }]
  const rows: Row[] = [
    { name: 'Store', state: parts.store.state, since: since.store },
    { name: 'Live market', state: parts.bus.state, since: since.bus },
    { name: 'Chain', state: parts.chain.state, since: since.chain },
    ...signer,
  ]
  const facts: readonly (readonly [string, string])[] = [
    ['Chain', mode === 'simulated' ? 'none, simulated' : String(chainId)],
    [
      'Newest block',
      head === null ? 'not known' : `${head.block}, ${Math.max(0, Math.round(head.ageMs / 1_000))} s old`,
    ],
    ['Makers connected', makersConnected === null ? 'not known' : String(makersConnected)],
    ['Version', software],
    ['Running since', timeText(at - vitals.uptimeMs)],
  ]
  const verdict = isReady
    ? html`<p class="up">The relay works.</p>`
    : html`<p class="down">The relay does not take requests now.</p>`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="${REFRESH_S}"><title>${isReady ? 'Works' : 'Does not work'}: rfqctl</title><style>${{ html: STYLE }}</style></head>
<body><main><h1>Status</h1>${verdict}
<table><thead><tr><th scope="col">Part</th><th scope="col">State</th><th scope="col">Since</th></tr></thead><tbody>${rows.map(rowHtml)}</tbody></table>
<table><tbody>${facts.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>
<p>As of ${timeText(at)}.</p></main></body></html>
`.html
}

const WORDS: Readonly<Record<Row['state'], string>> = { up: 'works', down: 'does not answer', off: 'none' }

const rowHtml = ({ name, state, since }: Row): Html =>
  html`<tr><th scope="row">${name}</th><td class="${state}">${WORDS[state]}</td><td>${timeText(since)}</td></tr>`

/** 2026-11-23 07:00:00 UTC, for people anywhere. */
const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
