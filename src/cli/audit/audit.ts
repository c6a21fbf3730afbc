import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { encodeAuditEntry } from '@rfqctl/protocol/wire/audit'
import { ASCII, UNICODE } from '@rfqctl/web/dashboard/theme'
import { eventText } from '@rfqctl/web/dashboard/views/events'
import type { Cli, Run } from '../cli.ts'
import { operatorClient } from '../context/operator.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import type { RelayOptions } from '../context/targets.ts'

export const WHOLE_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Prints the audit log of a request. */
export const run: Run<RelayOptions & { ascii?: boolean }, [request?: string]> = async (cli, options, text) => {
  const requestId = idOf(cli, options, text)
  const auditLog = await operatorClient(cli, options).getAuditLog({ requestId, signal: cli.stop })
  const start = auditLog[0]?.at ?? 0
  cli.out.note(`request ${requestId}`)
  for (const entry of auditLog) {
    const sentence = eventText(entry, options.ascii ? ASCII : UNICODE).text
    const { kind, ...fields } = encodeAuditEntry(entry)
    cli.out.print({ type: kind, ...fields }, `${cli.out.colors.dim(clockOf(entry.at, start))}  ${safeText(sentence)}`)
  }
}

/** A whole id may be of any request; a prefix, or none, selects among the requests made in this folder. */
const idOf = (cli: Cli, options: RelayOptions, text: string | undefined): string =>
  text !== undefined && WHOLE_ID.test(text) ? text : findSavedRequest(cli, options, text).request.requestId

/** The first entry shows the time of day, the others the time since. */
const clockOf = (at: number, start: number): string =>
  (at === start ? new Date(at).toISOString().slice(11, 23) : `+${((at - start) / 1_000).toFixed(3)} s`).padStart(12)
