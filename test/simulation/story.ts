import type { Plan } from './plan/plan.ts'
import type { Run } from './simulate.ts'
import { timeText } from './venue/recorder.ts'

/** A page. */
const MOST_LINES = 60
const HEAD_LINES = 6
/** How long before the first line of a request its story begins, milliseconds. */
const BEFORE_MS = 60_000

/** A failing run as a story: when who did what, which faults came, and what was broken. */
export function storyOf(plan: Plan, run: Run): string {
  const [finding] = run.findings
  if (finding === undefined) return `seed ${plan.seed}: nothing is broken`
  const { rule, requestId, sentence } = finding
  const head = [
    `seed ${plan.seed}, ${plan.actions.length} actions: ${rule} is broken`,
    sentence,
    ...(requestId === null ? [] : [`the request is ${requestId}`]),
    ...(run.findings.length > 1 ? [`${run.findings.length - 1} more are broken with it`] : []),
    '',
  ]
  const mentioned = namedIn(sentence)
  const about = run.lines.filter(
    (line) => line.requestId !== null && (line.requestId === requestId || mentioned.has(line.requestId)),
  )
  const room = MOST_LINES - HEAD_LINES
  const kept = about.slice(-Math.ceil(room * 0.7))
  const from = kept[0]?.at ?? Number.NEGATIVE_INFINITY
  const others = run.lines.filter((line) => line.requestId === null && line.at >= from - BEFORE_MS)
  const faults = run.lines.filter(({ text }) => text.startsWith('FAULT'))
  const left = room - kept.length
  // Faults say more than what came of them.
  const named = new Set(faults.slice(-left))
  const chosen = new Set(
    [...kept, ...named, ...others.slice(others.length - Math.max(0, left - named.size))].slice(0, room),
  )
  const lines = run.lines
    .filter((line) => chosen.has(line))
    .map(({ at, text, requestId: of }) => `${timeText(at)}  ${of === null ? '' : `[${of.slice(0, 4)}] `}${text}`)
  return [...head, ...lines].slice(0, MOST_LINES).join('\n')
}

/** The requests that a sentence names. */
const namedIn = (sentence: string): Set<string> =>
  new Set(sentence.match(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/g) ?? [])
