import { hasApprovals, type Pair, readApprovals, readPair, withdrawalCalls } from '@rfqctl/client/approvals'
import { transportOf } from '@rfqctl/client/from-text'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'
import { plural } from '@rfqctl/lib/format'
import type { Cli } from '../cli.ts'
import { addressIn } from '../context/address-in.ts'
import { type TradingChain, tradingChain } from '../context/targets.ts'
import { nothingToDo, type SendOptions, sendingOwn } from '../send/send.ts'
import { approvalFacts, formerSettlements, pairsOf } from './former.ts'

/** Withdraws all that a wallet has approved to a settlement contract and its core; without one, to all former ones. */
export const revoke = sendingOwn<SendOptions, [settlement: string | undefined]>(
  async ({ address }, cli, options, text) => {
    const chain = tradingChain(cli, options)
    const transport = transportOf(chain.rpcUrl)
    const pairs = await pairsToRevoke(cli, options, { chain, text })
    const all = await Promise.all(
      pairs.map(async (pair) => ({ pair, approvals: await readApprovals(transport, { pair, wallet: address }) })),
    )
    const left = all.filter(({ approvals }) => hasApprovals(approvals))
    if (left.length === 0) throw nothingToDo(`${address} has approved nothing to ${pairs.map(nameOf).join(', ')}`)
    const unseen = all.filter(({ approvals }) => approvals.signers === null)
    const calls = left.flatMap(({ pair, approvals }) => withdrawalCalls(pair, approvals))
    return {
      type: 'approvals_withdrawn',
      act: `withdraw what ${address} has approved to ${left.map(({ pair }) => nameOf(pair)).join(', ')}`,
      holders: [],
      facts: [
        ...left.flatMap(({ approvals }) => approvalFacts(approvals)),
        ...unseen.map(({ pair }) => ['not seen', `which keys sign orders for it at ${nameOf(pair)}`] as const),
        ['then', 'no order of this wallet is filled there; claims, closes and transfers need no approval'],
        ['undone by', 'rfqctl maker approve, on those contracts'],
      ],
      data: { wallet: address, settlements: left.map(({ pair }) => nameOf(pair)) },
      calls,
      done: 'withdrawn',
      tell: (index) => {
        const { contract, functionName, args } = calls[index] as (typeof calls)[number]
        return [{ value: { contract, functionName, args: args.map(String) }, text: `${functionName} of ${contract}` }]
      },
      after: async () => `${plural(calls.length, 'approval')} withdrawn`,
    }
  },
)

const nameOf = ({ settlementAddress }: Pair) => settlementAddress

async function pairsToRevoke(
  cli: Cli,
  options: SendOptions,
  { chain, text }: { chain: TradingChain; text: string | undefined },
): Promise<Pair[]> {
  if (text === undefined) {
    const pairs = await pairsOf(formerSettlements(cli, options, chain), chain)
    if (pairs.length > 0) return pairs
    throw new CliError('no former contracts are known here', {
      exitCode: EXIT.notFound,
      hint: 'name the settlement contract, or set FORMER_SETTLEMENT_ADDRESSES',
    })
  }
  const settlementAddress = addressIn('SETTLEMENT', text)
  const pair = await readPair(transportOf(chain.rpcUrl), settlementAddress)
  if (pair !== null) return [pair]
  throw new CliError(`there is no settlement contract at ${settlementAddress}`, { exitCode: EXIT.notFound })
}
