import { randomBytes } from 'node:crypto'
import { pause, systemClock } from '../../client/clock.ts'
import { computeSeriesId, type Hex, type StrikeBps } from '../../client/index.ts'
import { createWallet, type Wallet } from '../../client/wallet.ts'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import { optionTypeNumber } from '../../domain/series.ts'
import { when } from '../../lib/format.ts'
import { openAccount } from '../context/account.ts'
import { inTime } from './in-time.ts'
import { refusalOf, type Scenario } from './scenario.ts'

/** Long enough to register the series before it expires, in seconds of chain time. */
const LIFE_S = 4

/** How long the chain's time may take to get there, milliseconds. */
const EXPIRY_MS = 30_000
const LOOK_MS = 250

const STRIKE = 5_000 as StrikeBps

/** A series whose market has no price at all: at expiry the relay declines to sign, and a person must decide. */
export const noPriceData: Scenario = {
  summary: 'a series expires without a price, and waits for a decision with manual_review',
  needsChain: true,
  next: 'rfqctl settle review list',
  run: async (stage) => {
    const { chain, taker, narrator, signal } = stage
    const { account } = await openAccount(stage.cli, { ...stage.options, account: 'registrar' })
    const wallet = createWallet({ account, setup: chain })
    const expiry = (await chainTime(wallet)) + LIFE_S
    const conditionId: Hex = `0x${randomBytes(32).toString('hex')}`
    const yesTokenId = BigInt(`0x${randomBytes(31).toString('hex')}`)
    const seriesId = computeSeriesId({
      conditionId,
      yesTokenId: yesTokenId.toString(),
      strikeBps: STRIKE,
      expiry,
      optionType: 'call',
    })
    await wallet.write(
      {
        address: chain.coreAddress,
        abi: serviceCoreAbi,
        functionName: 'createSeries',
        args: [conditionId, yesTokenId, STRIKE, BigInt(expiry), optionTypeNumber('call')],
      },
      signal,
    )
    await taker.getSeries({ seriesId, signal })
    const soon = when(expiry * 1_000, (await chainTime(wallet)) * 1_000)
    narrator.tell(
      'series_created',
      { seriesId, conditionId, expiry },
      `a series of a market without prices expires ${soon}`,
    )
    await inTime(EXPIRY_MS, 'the chain to reach its expiry', signal, async (limit) => {
      while ((await chainTime(wallet)) < expiry) await pause(LOOK_MS, { clock: systemClock, signal: limit })
    })
    const refusal = await refusalOf(taker.prepareSettlement({ seriesId, signal }), 'manual_review')
    const { code, status, message } = refusal
    narrator.tell('refused', { code, status, seriesId }, `the relay declines to sign: ${code} (${message})`)
  },
}

/** The time that the contracts see, Unix seconds. */
const chainTime = async ({ publicClient }: Wallet): Promise<number> => Number((await publicClient.getBlock()).timestamp)
