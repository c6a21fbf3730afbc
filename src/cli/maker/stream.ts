import type { AnnouncedRequest, MakerStreamEvent } from '@rfqctl/client/index'
import { termsJson } from '@rfqctl/client/to-json'
import { shortId, when } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { termsText } from '../show/show-trade.ts'
import type { Colors } from '../terminal/colors.ts'
import { noteConnection } from '../terminal/output.ts'

export const run: Run<RelayOptions & ChainOptions & AccountOptions & { for?: number }> = async (cli, options) => {
  const { client } = await makerClient(cli, options)
  const onConnectionState = noteConnection(cli.out)
  await runFor(options.for ?? null, cli.stop, async (signal) => {
    for await (const event of client.watchQuoteRequests({
      packages: true,
      twoSided: true,
      signal,
      onConnectionState,
    })) {
      const line = eventLine(event, cli.out.colors)
      if (cli.out.isJson || line !== null) cli.out.print(eventJson(event), line ?? '')
    }
  })
}

const eventJson = (event: MakerStreamEvent): Record<string, unknown> => {
  switch (event.kind) {
    case 'connected':
      return { type: 'connected', makerId: event.makerId, serverTime: new Date(event.serverTime).toISOString() }
    case 'quote_request':
      return { type: 'quote_request', ...requestJson(event.request) }
    case 'quote_request_expired':
      return { type: 'quote_request_expired', requestId: event.requestId }
    default:
      return { type: event.kind }
  }
}

const requestJson = ({ requestId, expiresAt, terms, takerRating }: AnnouncedRequest) => ({
  requestId,
  expiresAt: new Date(expiresAt).toISOString(),
  params: termsJson(terms),
  ...(takerRating === undefined ? {} : { takerRating }),
})

function eventLine(event: MakerStreamEvent, colors: Colors): string | null {
  switch (event.kind) {
    case 'connected':
      return colors.dim(`connected as ${safeText(event.makerId)}`)
    case 'quote_request': {
      const { requestId, terms, expiresAt, takerRating } = event.request
      const rating = takerRating === undefined ? '' : `, taker filled ${takerRating.filled} of ${takerRating.orders}`
      return `${colors.bold(shortId(requestId))}  ${termsText(terms)}  closes ${when(expiresAt, Date.now())}${rating}`
    }
    case 'quote_request_expired':
      return colors.dim(`${shortId(event.requestId)}  closed`)
    default:
      return null
  }
}
