import { shortId } from '@rfqctl/lib/format'
import type { AuditEntry } from '@rfqctl/protocol/domain/audit'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { ASCII, type Glyphs, UNICODE } from '@rfqctl/web/dashboard/theme'
import { eventText } from '@rfqctl/web/dashboard/views/events'
import type { Run } from '../cli.ts'
import { operatorClient, printFrames } from '../context/operator.ts'
import { runFor } from '../context/run-for.ts'
import type { RelayOptions } from '../context/targets.ts'
import type { Colors } from '../terminal/colors.ts'
import { noteConnection } from '../terminal/output.ts'

type Options = RelayOptions & { for?: number; ascii?: boolean }

/** One line per event, or the raw events for programs. */
export const run: Run<Options> = async (cli, options) => {
  const client = operatorClient(cli, options)
  const { out } = cli
  const glyphs = options.ascii ? ASCII : UNICODE
  await runFor(options.for ?? null, cli.stop, async (signal) => {
    if (out.isJson) return printFrames(out, client.watchFrames({ signal }))
    for await (const event of client.watchEvents({ signal, onConnectionState: noteConnection(out) })) {
      if (event.kind === 'happened') out.print(null, lineOf(event.entry, glyphs, out.colors))
    }
  })
}

function lineOf(entry: AuditEntry, glyphs: Glyphs, colors: Colors): string {
  const time = new Date(entry.at).toISOString().slice(11, 23)
  return `${colors.dim(time)}  ${shortId(entry.requestId)}  ${safeText(eventText(entry, glyphs).text)}`
}
