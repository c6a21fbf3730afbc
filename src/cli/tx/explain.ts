import { type ContractFact, type Explanation, explainTransaction, ranOutOfGas } from '@rfqctl/client/explain'
import { transportOf } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { coin, shortId } from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { publicClient } from '../context/clients.ts'
import { newestFill } from '../context/saved-requests.ts'
import { type ChainOptions, dataDirOf, sandboxOf, tradingChain } from '../context/targets.ts'
import { createWalletNames } from '../context/wallet-names.ts'
import { valueLine, valueText } from '../show/contract-text.ts'
import { listSeriesRows } from '../show/series-listing.ts'
import type { Colors } from '../terminal/colors.ts'
import { factLines } from '../terminal/table.ts'

/** Why a failed transaction failed, too. */
export const run: Run<ChainOptions, [hash?: Hex]> = async (cli, options, typed) => {
  const hash = typed ?? newestFill(dataDirOf(cli, options))
  if (hash === null) {
    throw new CliError('you have not filled an order yet', {
      code: 'not_found',
      hint: 'name a transaction: rfqctl tx explain 0x…',
    })
  }
  const { rpcUrl, ...setup } = tradingChain(cli, options)
  const explained = await explainTransaction({ ...setup, transport: transportOf(rpcUrl) }, hash)
  if (explained === null) {
    throw new CliError(`the chain does not know ${hash}`, {
      code: 'not_found',
      why: ['it was never sent there, or was dropped'],
      hint: 'rfqctl chain status',
    })
  }
  const { explain } = createWalletNames(cli, options)
  const nameSeries = cli.out.isJson ? null : await readSeriesNames(cli, options)
  const lines = explanationLines(explained, cli.out.colors).map(explain)
  cli.out.print(explanationJson(explained), nameSeries === null ? lines : lines.map(nameSeries))
}

/** Adds series names, which the sandbox's relay has; null where there is no sandbox, or no relay answers. */
async function readSeriesNames(cli: Cli, options: ChainOptions): Promise<((line: string) => string) | null> {
  if (sandboxOf(cli, options) === null) return null
  const listing = await listSeriesRows(cli, options, publicClient(cli, options)).catch(() => null)
  if (listing === null) return null
  const names = new Map(listing.rows.map(({ seriesId, name }) => [shortId(seriesId), name]))
  return (line) =>
    line.replace(/\d{8}…/g, (id) => {
      const name = names.get(id)
      return name === undefined ? id : `${id} (${name})`
    })
}

function explanationJson(explained: Explanation): Record<string, unknown> {
  const { hash, status, from, to, call, gasLimit } = explained
  const known = { type: 'transaction', hash, status, from, to, gasLimit, call: call === null ? null : factJson(call) }
  if (explained.status === 'waiting') return known
  const { block, time, gasUsed, fee, created, events, refusal } = explained
  return {
    ...known,
    block: Number(block),
    time,
    gasUsed,
    feeWei: fee,
    created,
    events: events.map(factJson),
    outOfGas: status === 'reverted' && ranOutOfGas(explained),
    refusal:
      refusal === null
        ? null
        : {
            code: refusal.code,
            message: refusal.message,
            hint: refusal.hint,
            errorName: refusal.errorName,
            values: Object.fromEntries(refusal.values.map(({ name, value }) => [name, value])),
          },
  }
}

const factJson = ({ contract, name, values }: ContractFact) => ({
  contract,
  name,
  values: Object.fromEntries(values.map((entry) => [entry.name, entry.value])),
})

function explanationLines(explained: Explanation, colors: Colors): string[] {
  const { hash, from, to, call } = explained
  const head: [string, string][] = [
    ['status', statusText(explained, colors)],
    ['hash', hash],
    ['from', from],
    ['to', to === null ? 'a new contract' : call?.contract ? `${to} (the ${call.contract})` : to],
  ]
  if (explained.status !== 'waiting') {
    const { block, time, gasUsed, gasLimit, fee, created } = explained
    head.push(['block', `${block} at ${utcText(time * 1_000)}`])
    head.push(['gas', `${gasUsed} of at most ${gasLimit}, for ${coin(fee)} of the chain's coin`])
    if (created !== null) head.push(['created', created])
  }
  const called = call === null ? [] : ['', colors.bold(call.name), ...valueLines(call, colors)]
  const events = explained.status === 'waiting' ? [] : explained.events
  return [
    ...factLines(head, colors),
    ...called,
    ...events.flatMap((event) => ['', `${colors.green('+')} ${colors.bold(event.name)}`, ...valueLines(event, colors)]),
    ...whyLines(explained, colors),
  ]
}

function statusText({ status }: Explanation, colors: Colors): string {
  if (status === 'waiting') return 'waiting to be mined'
  return status === 'success' ? colors.green('done') : colors.red('reverted: nothing changed, but the gas was spent')
}

const valueLines = ({ values }: ContractFact, colors: Colors): string[] =>
  values.length === 0
    ? []
    : factLines(
        values.map(({ name, unit, value }) => [name, valueText(unit, value)] as const),
        colors,
      ).map((line) => `  ${line}`)

/** In the format of every refusal. */
function whyLines(explained: Explanation, colors: Colors): string[] {
  if (explained.status !== 'reverted') return []
  const { refusal } = explained
  if (refusal !== null) {
    const { message, errorName, values, hint } = refusal
    return [
      '',
      `${colors.red('why:')} ${message}`,
      ...(errorName === '' ? [] : [`  ${errorName}`]),
      ...values.map((value) => `  ${valueLine(value)}`),
      ...(hint === null ? [] : [`  ${colors.cyan('try:')} ${hint}`]),
    ]
  }
  const why = ranOutOfGas(explained)
    ? 'it ran out of gas: send it again with a higher limit'
    : 'the reason is no longer known: repeated in its block, the call succeeds'
  return ['', `${colors.red('why:')} ${why}`]
}
