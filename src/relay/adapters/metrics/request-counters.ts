import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { Counter, Histogram, type Registry } from 'prom-client'

/** A confirmation takes a signature and a round trip: from milliseconds to the deadline of 10 s. */
const CONFIRM_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 6, 8, 10]

/** Labels are words of ours, never ids. */
export function createRequestCounters(registry: Registry): (entry: AuditEntry) => void {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `rfqctl_${name}_total`, help, labelNames, registers: [registry] })
  const opened = counter('quote_requests_opened', 'Quote requests opened.', 'side')
  const closed = counter('quote_requests_closed', 'Quote requests closed, by how they ended.', 'status')
  const quoted = counter('quotes_accepted', 'Quotes added to the book, including re-quotes.')
  const refused = counter('quotes_refused', 'Quotes refused, by code.', 'code')
  const withdrawn = counter('quotes_withdrawn', 'Quotes withdrawn by their makers.')
  const expired = counter('quotes_expired', 'Quotes that expired.')
  const commits = counter('commits_started', 'Commits started.')
  const commitsRefused = counter('commits_refused', 'Commits refused, by code.', 'code')
  const asked = counter('orders_asked', 'Orders sent to a maker for its signature.')
  const answers = counter('confirmations', 'Outcomes of orders sent, or meant to be sent, for signature.', 'outcome')
  // Prometheus sees a rise only from an existing value: without a zero the first miss of a process would go unseen.
  for (const outcome of ['confirmed', 'declined', 'missed', 'signature_refused']) answers.inc({ outcome }, 0)
  const ends = counter('orders', 'Signed orders that ended, by how.', 'end')
  for (const end of ['filled', 'cancelled', 'expired']) ends.inc({ end }, 0)
  const defunded = counter('orders_defunded', 'Open signed orders whose makers took away what they need.')
  const waits = new Histogram({
    name: 'rfqctl_confirm_seconds',
    help: 'Time from asking a maker to its confirmation.',
    buckets: CONFIRM_BUCKETS_S,
    registers: [registry],
  })

  const counts: { readonly [Kind in AuditEntry['kind']]?: (entry: Extract<AuditEntry, { kind: Kind }>) => void } = {
    opened: ({ terms }) => opened.inc({ side: terms.trade.side }),
    closed: ({ status }) => closed.inc({ status }),
    quoted: () => quoted.inc(),
    quote_refused: ({ code }) => refused.inc({ code }),
    quote_withdrawn: () => withdrawn.inc(),
    quote_expired: () => expired.inc(),
    commit_started: () => commits.inc(),
    commit_refused: ({ code }) => commitsRefused.inc({ code }),
    asked: () => asked.inc(),
    passed_over: ({ code }) => answers.inc({ outcome: code }),
    confirmed: ({ kind, waitedMs }) => {
      waits.observe(waitedMs / 1_000)
      answers.inc({ outcome: kind })
    },
    order_filled: () => ends.inc({ end: 'filled' }),
    order_cancelled: () => ends.inc({ end: 'cancelled' }),
    order_expired: () => ends.inc({ end: 'expired' }),
    order_defunded: () => defunded.inc(),
    declined: ({ kind }) => answers.inc({ outcome: kind }),
    missed: ({ kind }) => answers.inc({ outcome: kind }),
    signature_refused: ({ kind }) => answers.inc({ outcome: kind }),
  }
  return (entry) => counts[entry.kind]?.(entry as never)
}
