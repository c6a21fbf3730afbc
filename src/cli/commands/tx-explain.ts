import { type ContractFact, type Explanation, explainTransaction, ranOutOfGas } from '../../client/explain.ts'
import { transportOf } from '../../client/from-text.ts'
import type { Hex } from '../../domain/units.ts'
import type { Run } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { valueLine, valueWords } from '../contract-words.ts'
import { dataDirOf } from '../data-dir.ts'
import { EXIT } from '../exit.ts'
import { coin } from '../format.ts'
import { newestFill } from '../notes.ts'
import type { Paint } from '../paint.ts'
import { factLines } from '../table.ts'
import { type ChainOptions, tradingChain } from '../where.ts'

/** Says what a transaction did, or why it could not. */
export const run: Run<ChainOptions, [hash?: Hex]> = async (cli, options, typed) => {
  const hash = typed ?? newestFill(dataDirOf(cli, options))
  if (hash === null) {
    throw new CliError('you have filled nothing yet', {
      code: 'not_found',
      exitCode: EXIT.notFound,
      hint: 'name a transaction: rfqctl tx explain 0x…',
    })
  }
  const { rpcUrl, ...setup } = tradingChain(cli, options)
  const explained = await explainTransaction({ ...setup, transport: transportOf(rpcUrl) }, hash)
  if (explained === null) {
    throw new CliError(`the chain does not know ${hash}`, {
      code: 'not_found',
      exitCode: EXIT.notFound,
      why: ['it was never sent there, or has been dropped'],
      hint: 'rfqctl chain status',
    })
  }
  cli.out.print(explanationJson(explained), explanationLines(explained, cli.out.paint))
}

/** An explanation for programs; amounts in the contract's own numbers, as text. */
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

function explanationLines(explained: Explanation, paint: Paint): string[] {
  const { hash, from, to, call } = explained
  const head: [string, string][] = [
    ['status', statusWords(explained, paint)],
    ['hash', hash],
    ['from', from],
    ['to', to === null ? 'a new contract' : call?.contract ? `${to} (the ${call.contract})` : to],
  ]
  if (explained.status !== 'waiting') {
    const { block, time, gasUsed, gasLimit, fee, created } = explained
    head.push(['block', `${block} at ${new Date(time * 1_000).toISOString()}`])
    head.push(['gas', `${gasUsed} of at most ${gasLimit}, for ${coin(fee)} of the chain's coin`])
    if (created !== null) head.push(['created', created])
  }
  const called = call === null ? [] : ['', paint.bold(call.name), ...valueLines(call, paint)]
  const events = explained.status === 'waiting' ? [] : explained.events
  return [
    ...factLines(head, paint),
    ...called,
    ...events.flatMap((event) => ['', `${paint.green('+')} ${paint.bold(event.name)}`, ...valueLines(event, paint)]),
    ...whyLines(explained, paint),
  ]
}

function statusWords({ status }: Explanation, paint: Paint): string {
  if (status === 'waiting') return 'waiting to be mined'
  return status === 'success' ? paint.green('done') : paint.red('reverted: it changed nothing and cost its gas')
}

const valueLines = ({ values }: ContractFact, paint: Paint): string[] =>
  values.length === 0
    ? []
    : factLines(
        values.map(({ name, unit, value }) => [name, valueWords(unit, value)] as const),
        paint,
      ).map((line) => `  ${line}`)

/** Why it failed, in the grammar of every refusal. */
function whyLines(explained: Explanation, paint: Paint): string[] {
  if (explained.status !== 'reverted') return []
  const { refusal } = explained
  if (refusal !== null) {
    const { message, errorName, values, hint } = refusal
    return [
      '',
      `${paint.red('why:')} ${message}`,
      ...(errorName === '' ? [] : [`  ${errorName}`]),
      ...values.map((value) => `  ${valueLine(value)}`),
      ...(hint === null ? [] : [`  ${paint.cyan('try:')} ${hint}`]),
    ]
  }
  const why = ranOutOfGas(explained)
    ? 'it ran out of gas: send it again with a higher limit'
    : 'that cannot be found out any more: tried again in its block, it is not refused'
  return ['', `${paint.red('why:')} ${why}`]
}
