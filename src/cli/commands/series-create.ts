import { type StrikeBps, seriesIdOf } from '../../client/index.ts'
import { createWallet } from '../../client/wallet.ts'
import { serviceCoreAbi } from '../../domain/contract-abi.ts'
import { safeText } from '../../domain/safe-text.ts'
import { optionTypeNumber } from '../../domain/series.ts'
import { type AccountOptions, openAccount } from '../account.ts'
import { readChainView } from '../chain-view.ts'
import type { Run } from '../cli.ts'
import { chainSetup, publicClient } from '../clients.ts'
import { strike, when } from '../format.ts'
import { findMarket } from '../series-listing.ts'
import type { ChainOptions, RelayOptions } from '../where.ts'

type Options = RelayOptions &
  ChainOptions &
  AccountOptions & { strikeBps: StrikeBps; expiresIn: number; type: 'call' | 'put' }

/** Registers a series on the core, whose owner signs; expiries are rounded up to a whole minute. */
export const run: Run<Options, [market: string]> = async (cli, options, text) => {
  const { account } = await openAccount(cli, options)
  const setup = await chainSetup(cli, options, account.address)
  const client = publicClient(cli, options)
  const market = findMarket(await client.markets({ signal: cli.stop }), text)
  const now = (await readChainView(cli, options))?.now ?? Date.now()
  const expiry = Math.ceil((now + options.expiresIn) / 60_000) * 60
  const { conditionId, yesTokenId, name } = market
  const { strikeBps, type: optionType } = options
  const seriesId = seriesIdOf({ conditionId, yesTokenId, strikeBps, expiry, optionType })
  const receipt = await createWallet({ account, setup }).write(
    {
      address: setup.coreAddress,
      abi: serviceCoreAbi,
      functionName: 'createSeries',
      args: [conditionId, BigInt(yesTokenId), strikeBps, BigInt(expiry), optionTypeNumber(optionType)],
    },
    cli.stop,
  )
  // The relay reads an unknown series when it is asked for it, long before its next round (ruling S5).
  await client.findSeries({ seriesId, signal: cli.stop })
  cli.out.print(
    { type: 'series_created', seriesId, conditionId, strikeBps, expiry, optionType, txHash: receipt.transactionHash },
    [
      `${optionType} ${strike(strikeBps)} on "${safeText(name)}", expires ${when(expiry * 1_000, now)}`,
      `seriesId ${seriesId}`,
    ],
  )
}
