import { computeMaxPayoff, contracts, usd6, usd6ToNumber } from '@rfqctl/client/index'
import { matchedOf } from '@rfqctl/client/settlement'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, plural } from '@rfqctl/lib/format'
import { nothingToDo, recipientOf, type SendOptions, sendingOwn } from '../send/send.ts'
import { listSeriesRows } from '../show/series-listing.ts'

export type CloseOptions = SendOptions & { amount?: number; to?: string }

/** Nets options held against options written, of one series or of all. */
export const close = sendingOwn<CloseOptions, [series?: string]>(async (sender, cli, options, text) => {
  const { client, calls, address } = sender
  const { rows, find } = await listSeriesRows(cli, options, client)
  const wanted = text === undefined ? rows : [find(text)]
  const positions = await client.listPositions({ seriesIds: wanted.map(({ seriesId }) => seriesId), signal: cli.stop })
  const asked = options.amount === undefined ? null : contracts(BigInt(options.amount))
  const closing = wanted.flatMap((series) => {
    const position = positions.find(({ seriesId }) => seriesId === series.seriesId)
    const matched = position === undefined ? 0n : matchedOf(position)
    return matched === 0n ? [] : [{ series, matched: contracts(matched), amount: asked ?? contracts(matched) }]
  })
  if (closing.length === 0) throw nothingToDo('no series has options both held and written')
  if (asked !== null && text === undefined) throw new CliError('--amount goes with a series')
  const [only] = closing
  if (asked !== null && only !== undefined && asked > only.matched) {
    throw new CliError(`only ${only.matched} options can be closed`, {
      code: 'short_insufficient',
      why: ['an option that is held ends one that is written'],
    })
  }
  const to = recipientOf(options, address)
  const closes = closing.map(({ series, matched, amount }) => {
    const paid = usd6(amount * computeMaxPayoff(series))
    return { ...series, matched, amount, paid }
  })
  const total = usd6(closes.reduce((sum, { paid }) => sum + paid, 0n))
  const count = closes.reduce((sum, { amount }) => sum + amount, 0n)
  const act = `close ${plural(Number(count), 'option')} for ${exactUsd(total)}`
  const json = closes.map(({ seriesId, amount, paid }) => ({
    seriesId,
    optionAmount: Number(amount),
    paid: usd6ToNumber(paid),
  }))
  return {
    type: 'closed',
    act,
    holders: [],
    facts: [
      ...closes.map(
        ({ name, amount, matched, paid }) =>
          [name, `${amount} of ${matched} both held and written, for ${exactUsd(paid)}`] as const,
      ),
      ['paid to', to],
      ['undone by', 'no one'],
    ],
    data: { to, positions: json },
    calls: closes.map(({ seriesId, amount }) => calls.closePosition({ seriesId, amount, to })),
    done: act,
    tell: (index) =>
      closes.slice(index, index + 1).map(({ name, amount, paid }) => ({
        value: { ...json[index], to },
        text: `closed ${amount} ${name} for ${exactUsd(paid)}`,
      })),
  }
})
