import { contracts, type Usd6, usd6ToNumber } from '../../client/index.ts'
import type { Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { makerClient } from '../context/clients.ts'
import { dataDirOf } from '../context/data-dir.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { termsWords } from '../show/show-trade.ts'
import { priceText, shortId, when } from '../terminal/format.ts'
import { findOffer, saveOffer } from './offers.ts'
import { findOpenRequest } from './open-requests.ts'

type Options = RelayOptions & ChainOptions & AccountOptions & { price: Usd6; size: number; lifetime?: number }

/** Quotes by hand, or quotes again, and keeps the offer for `maker confirm` to check the order against. */
export const run: Run<Options, [request?: string]> = async (cli, options, text) => {
  const { maker, client } = await makerClient(cli, options)
  const request = await findOpenRequest(client, text, cli.stop)
  const { requestId, terms } = request
  const size = contracts(BigInt(options.size))
  const expiresInMs = options.lifetime ?? null
  const { quoteId, price } = await client.submitQuote({
    request,
    price: options.price,
    size,
    expiresInMs,
    signal: cli.stop,
  })
  const now = Date.now()
  const expiresAt = expiresInMs === null ? request.expiresAt : Math.min(now + expiresInMs, request.expiresAt)
  const quote = { maker: maker.account.address, side: terms.trade.side, price, size }
  const dataDir = dataDirOf(cli, options)
  const nonce = findOffer(dataDir, quoteId)?.nonce ?? null
  saveOffer(dataDir, { quoteId, requestId, offer: { terms, quote, expiresAt }, nonce })
  cli.out.print(
    {
      type: 'quote',
      requestId,
      quoteId,
      maker: quote.maker,
      side: quote.side,
      price: usd6ToNumber(price),
      size: options.size,
      expiresAt: new Date(expiresAt).toISOString(),
    },
    [
      termsWords(terms),
      `${cli.out.colors.bold(priceText(price))} for up to ${size}, quote ${shortId(quoteId)}, ends ${when(expiresAt, now)}`,
    ],
  )
  const account = maker.name === null ? '--key-file PATH' : `--account ${maker.name}`
  cli.out.note(`Next: rfqctl maker confirm ${account} --wait 5m, before a taker commits: it has seconds to sign`)
}
