import { createMakerClient, type Order, type Spender, UNLIMITED, type Usd6, usd6ToNumber } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { exactUsd, usd } from '@rfqctl/lib/format'
import type { Cli, Run } from '../cli.ts'
import type { AccountOptions } from '../context/account.ts'
import { walletClient } from '../context/clients.ts'
import { type ChainOptions, type RelayOptions, relayUrl } from '../context/targets.ts'
import { atText } from '../send/chosen-series.ts'
import { nothingToDo, type Sender, type SendOptions, sendingOwn } from '../send/send.ts'
import { outcomesOf } from './status.ts'

type ApproveOptions = RelayOptions & ChainOptions & AccountOptions & { amount?: Usd6 }

const SPENDERS: readonly Spender[] = ['core', 'settlement']

/** The core draws collateral, the settlement premiums. */
export const approve: Run<ApproveOptions> = async (cli, options) => {
  const { client, owner } = await walletClient(cli, options)
  const amount = options.amount ?? UNLIMITED
  const limit = options.amount === undefined ? 'without limit' : `up to ${exactUsd(amount)}`
  for (const spender of SPENDERS) {
    const receipt = await client.approveSpender({ spender, amount, signal: cli.stop })
    cli.out.print(
      {
        type: 'approval',
        wallet: owner.account.address,
        spender,
        amount: options.amount === undefined ? 'unlimited' : usd6ToNumber(amount),
        txHash: receipt?.transactionHash ?? null,
      },
      receipt === null
        ? `the ${spender} may already draw ${limit}`
        : `the ${spender} may draw ${limit}: ${receipt.transactionHash}`,
    )
  }
}

type CancelAllOptions = SendOptions & { first?: number; last?: number }

/** Makes every signed order that can still be filled unfillable. */
export const cancelAll = sendingOwn<CancelAllOptions>(async (sender, cli, options) => {
  const { calls, authority } = sender
  const open = await openOrders(sender, cli, options)
  const nonces = open.map(({ nonce }) => nonce)
  const first = options.first ?? Math.min(...nonces)
  const last = options.last ?? Math.max(...nonces)
  if (options.first !== undefined && options.last !== undefined && first > last) {
    throw new CliError('--first is after --last')
  }
  if (first > last) throw nothingToDo('no signed order is open')
  return {
    type: 'nonces_cancelled',
    act: `cancel every order with nonce ${first} to ${last}`,
    holders: [],
    facts: [
      ...open.map(
        ({ nonce, makerSelling, optionAmount, premiumAmount, taker, validUntil }) =>
          [
            `nonce ${nonce}`,
            `${makerSelling ? 'sells' : 'buys'} ${optionAmount} for ${usd(premiumAmount)}, taker ${taker}, until ${atText(validUntil, authority.time)}`,
          ] as const,
      ),
      ['then', 'none of them can be filled; orders with other nonces are not touched'],
      ['undone by', 'no one'],
    ],
    data: { first, last, orders: open.map(({ nonce, seriesId, validUntil }) => ({ nonce, seriesId, validUntil })) },
    calls: [calls.cancelNonces({ first, last })],
    done: `cancelled nonces ${first} to ${last}`,
  }
})

/** Open orders as the relay knows them, lowest nonce first; empty where the range is given. */
async function openOrders({ owner, chain, authority }: Sender, cli: Cli, options: CancelAllOptions): Promise<Order[]> {
  const { first, last } = options
  if (first !== undefined && last !== undefined) return []
  if (owner === null) throw new CliError('with --calldata, pass the range: --first and --last')
  const { account, apiKey: own } = owner
  const apiKey = cli.environment.RFQCTL_API_KEY ?? own
  const client = createMakerClient({ url: relayUrl(cli, options), apiKey, account, chain })
  const open: Order[] = []
  const newest = { since: LONGEST_ORDER_MS, status: 'confirmed' as const }
  for await (const outcome of outcomesOf(client, newest, { now: Date.now(), signal: cli.stop })) {
    if (outcome.status !== 'confirmed' || outcome.order.maker !== account.address) continue
    const isOpen =
      (outcome.standing === null || outcome.standing.state === 'open') && outcome.order.validUntil >= authority.time
    if (isOpen) open.push(outcome.order)
  }
  return open.toSorted((a, b) => a.nonce - b.nonce)
}

/** Milliseconds; longer than any client's order stays open, far beyond `maxOrderValidityMs`. */
const LONGEST_ORDER_MS = 86_400_000

/** Uses up the nonce on chain, so that no one can fill the order. */
export const cancelNonce = sendingOwn<SendOptions, [nonce: number]>(
  async ({ calls, address }, _cli, _options, nonce) => ({
    type: 'nonce_cancelled',
    act: `cancel the order with nonce ${nonce}`,
    holders: [],
    facts: [['undone by', 'no one']],
    data: { wallet: address, nonce },
    calls: [calls.cancelNonce({ nonce })],
    done: `nonce ${nonce} is cancelled`,
    asks: false,
  }),
)
