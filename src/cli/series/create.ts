import { abiOf, createContractCalls } from '@rfqctl/client/contract-calls'
import { computeSeriesId, type MarketSummary, RelayUnreachableError, type StrikeBps } from '@rfqctl/client/index'
import { createWallet } from '@rfqctl/client/wallet'
import { CliError } from '@rfqctl/lib/cli-error'
import { strike, when } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Hex } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, openAccount } from '../context/account.ts'
import { readChainView } from '../context/chain-view.ts'
import { chainSetup, publicClient } from '../context/clients.ts'
import type { ChainOptions, RelayOptions } from '../context/targets.ts'
import { findMarket } from '../show/series-listing.ts'
import { collateralIn } from './collateral.ts'

type Options = RelayOptions &
  ChainOptions &
  AccountOptions & {
    strikeBps: StrikeBps
    expiresIn?: number
    expires?: number
    type: 'call' | 'put'
    conditionId?: Hex
    yesToken?: string
    collateral?: string
  }

/**
 * The core's owner signs. The market is one that the relay lists, or any other by its condition and YES token, as for
 * the first series of a new deployment. An expiry relative to now is rounded up to a whole minute.
 */
export const run: Run<Options, [market?: string]> = async (cli, options, text) => {
  const { account } = await openAccount(cli, options)
  const setup = await chainSetup(cli, options, account.address)
  const client = publicClient(cli, options)
  const market = await chooseMarket(cli, options, { text, list: () => client.listMarkets({ signal: cli.stop }) })
  const now = (await readChainView(cli, options))?.now ?? Date.now()
  const expiry = expiryOf(options, now)
  const { conditionId, yesTokenId, name } = market
  const { strikeBps, type: optionType } = options
  const seriesId = computeSeriesId({ conditionId, yesTokenId, strikeBps, expiry, optionType })
  const terms = { conditionId, yesTokenId, strikeBps, expiry, optionType }
  const call = createContractCalls(setup).createSeries({ terms, collateral: collateralIn(options) })
  const { to: address, functionName, args } = call
  const receipt = await createWallet({ account, setup }).write(
    { address, abi: abiOf(call), functionName, args } as never,
    cli.stop,
  )
  // The relay reads an unknown series as soon as it is asked for it. The series exists whatever it answers: it may run
  // on another chain, or not at all yet.
  await client.getSeries({ seriesId, signal: cli.stop }).catch((error: unknown) => {
    if (cli.stop.aborted) throw error
    const answer = error instanceof RelayUnreachableError ? 'no relay answers' : 'the relay does not list it yet'
    cli.out.note(`${answer}; a relay on this chain will find the series`)
  })
  cli.out.print(
    { type: 'series_created', seriesId, conditionId, strikeBps, expiry, optionType, txHash: receipt.transactionHash },
    [
      `${optionType} ${strike(strikeBps)} on "${safeText(name)}", expires ${when(expiry * 1_000, now)}`,
      `seriesId ${seriesId}`,
    ],
  )
}

type Market = Pick<MarketSummary, 'conditionId' | 'yesTokenId' | 'name'>

/** By row or conditionId prefix; with both ids it need not be listed, and no relay has to run. */
async function chooseMarket(
  cli: Cli,
  options: Options,
  { text, list }: { text: string | undefined; list: () => Promise<readonly MarketSummary[]> },
): Promise<Market> {
  const { conditionId, yesToken } = options
  if (conditionId !== undefined && yesToken !== undefined) {
    if (text === undefined) return { conditionId, yesTokenId: yesToken, name: conditionId }
    throw new CliError('a market and --condition-id cannot be combined')
  }
  if (conditionId !== undefined || yesToken !== undefined) {
    throw new CliError('--condition-id and --yes-token go together')
  }
  if (text !== undefined) return findMarket(cli, options, { markets: await list(), text })
  throw new CliError('no market given', {
    hint: 'name a listed market (rfqctl markets list), or a new one with --condition-id and --yes-token',
  })
}

/** Unix seconds. */
function expiryOf({ expiresIn, expires }: Options, now: number): number {
  if (expires !== undefined) return Math.floor(expires / 1_000)
  if (expiresIn !== undefined) return Math.ceil((now + expiresIn) / 60_000) * 60
  throw new CliError('no expiry given', { hint: 'pass --expires 2026-12-01T00:00Z or --expires-in 2h' })
}
