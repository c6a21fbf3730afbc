import { createListingWallet } from '@rfqctl/agents/lister/adapters/listing-wallets'
import { createLister, HALT_GAS, REGISTRATION_GAS } from '@rfqctl/agents/lister/lister'
import type { Halter, ListerPorts, Registrar } from '@rfqctl/agents/lister/ports'
import { type Authority, getAuthority } from '@rfqctl/client/authority'
import { type ChainSetup, computeSeriesId } from '@rfqctl/client/index'
import { readRegisteredSeries } from '@rfqctl/client/registered-series'
import { CliError } from '@rfqctl/lib/cli-error'
import { pause, systemClock } from '@rfqctl/lib/clock'
import { coin, duration } from '@rfqctl/lib/format'
import type { Address } from '@rfqctl/protocol/domain/units'
import { createHttpPrices } from '@rfqctl/relay/adapters/prices/http'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, type CliAccount, openAccount } from '../context/account.ts'
import { chainSetup, publicClient } from '../context/clients.ts'
import { runFor } from '../context/run-for.ts'
import { type ChainOptions, type RelayOptions, settingValues } from '../context/targets.ts'
import { marketReader, type RuleOptions } from '../markets/listing.ts'
import { collateralIn } from '../series/collateral.ts'
import { newsJson, newsLine } from './news.ts'

type Options = RelayOptions &
  ChainOptions &
  AccountOptions &
  RuleOptions & {
    prices?: string
    quiet: number
    maxSeries: number
    halter?: string
    collateral?: string
    halterKeyFile?: string
    maxGasPrice: bigint
    maxCoinPerDay: bigint
    every: number
    for?: number
    once?: boolean
  }

export const run: Run<Options> = async (cli, options) => {
  assertAffordable(options)
  const registrar = await openAccount(cli, options)
  const named = await halterOf(cli, options)
  const chain = await chainSetup(cli, options, registrar.account.address)
  const markets = marketReader(cli, options)
  const authority = await getAuthority(chain)
  const holders = [authority.registrar, authority.owner.holder]
  assertRole('register series', registrar.account.address, holders)
  const halting = [authority.halter, authority.guardian.holder, authority.owner.holder]
  if (named !== null) assertRole('halt series', named.account.address, halting)
  const halter = named ?? (halting.includes(registrar.account.address) ? registrar : null)
  let count = 0
  const lister = createLister({
    ports: { ...portsOf(cli, options, { chain, registrar, halter }), markets },
    settings: {
      rule: { strikes: options.strikes, cadences: options.expiries, optionTypes: options.types },
      maxSeries: options.maxSeries,
      quietMs: options.quiet,
      maxGasPrice: options.maxGasPrice,
      maxCoinPerDay: options.maxCoinPerDay,
    },
    now: systemClock.now,
    onNews: (news) => {
      count += 1
      cli.out.print(newsJson(news, options.quiet), newsLine(news, options.quiet, cli.out.colors))
    },
  })
  tellReady(cli, options, { hasPrices: pricesUrl(cli, options) !== null, hasHalter: halter !== null })
  if (options.once === true) {
    await lister.runRound(cli.stop)
    if (count === 0) cli.out.note('nothing is due')
    return
  }
  await runFor(options.for ?? null, cli.stop, async (signal) => {
    for (;;) {
      await lister.runRound(signal)
      await pause(options.every, { clock: systemClock, signal })
    }
  })
}

/** One account has one wallet: two would use the same nonces. */
function portsOf(
  cli: Cli,
  options: Options,
  { chain, registrar, halter }: { chain: ChainSetup; registrar: CliAccount; halter: CliAccount | null },
): Omit<ListerPorts, 'markets'> {
  const { maxGasPrice } = options
  const collateral = collateralIn(options)
  const walletOf = ({ account }: CliAccount) => createListingWallet({ account, chain, maxGasPrice, collateral })
  const own = walletOf(registrar)
  const isOne = halter?.account.address === registrar.account.address
  const relay = publicClient(cli, options)
  const registering: Registrar & Halter = {
    ...own,
    register: async (series, signal) => {
      const sent = await own.register(series, signal)
      // The relay reads an unknown series as soon as it is asked for it. Nothing depends on the answer.
      if (sent.kind === 'mined') await relay.getSeries({ seriesId: computeSeriesId(series), signal }).catch(() => {})
      return sent
    },
  }
  const url = pricesUrl(cli, options)
  const log = {
    warn: (_event: string, { reason = '' }: { reason?: string } = {}) => cli.out.note(`prices dropped: ${reason}`),
  }
  return {
    prices: url === null ? null : createHttpPrices({ url, log }).history,
    openSeries: async () =>
      (await relay.listSeries({ packages: true, signal: cli.stop })).filter(
        ({ resolutionBps }) => resolutionBps === null,
      ),
    chainTime: async () => (await getAuthority(chain)).time,
    registered: (seriesIds) => readRegisteredSeries(chain, seriesIds),
    registrar: registering,
    halter: halter === null ? null : isOne ? registering : walletOf(halter),
  }
}

const pricesUrl = (cli: Cli, { prices }: Options): string | null => prices ?? settingValues(cli).PRICE_HISTORY_URL

async function halterOf(cli: Cli, { halter, halterKeyFile, ...options }: Options): Promise<CliAccount | null> {
  const { keyFile: _, keyStdin: __, ...rest } = options
  if (halterKeyFile !== undefined) return openAccount(cli, { ...rest, keyFile: halterKeyFile })
  return halter === undefined ? null : openAccount(cli, { ...rest, account: halter })
}

function assertRole(act: string, address: Address, holders: readonly Authority['registrar'][]): void {
  if (holders.includes(address)) return
  throw new CliError(`${address} may not ${act}`, {
    code: 'not_in_role',
    why: [`who may: ${holders.filter((holder) => holder !== null).join(', ')}`],
    hint: 'rfqctl chain status shows who holds which role',
  })
}

/** A day's budget below the cost of one transaction would never be spent. */
function assertAffordable({ maxGasPrice, maxCoinPerDay }: Options): void {
  const most = (HALT_GAS > REGISTRATION_GAS ? HALT_GAS : REGISTRATION_GAS) * maxGasPrice
  if (most <= maxCoinPerDay) return
  throw new CliError(`one transaction may cost ${coin(most)} of the coin, and a day ${coin(maxCoinPerDay)}`, {
    hint: 'raise --max-coin-per-day, or lower --max-gas-price',
  })
}

function tellReady(cli: Cli, { quiet }: Options, state: { hasPrices: boolean; hasHalter: boolean }): void {
  cli.out.note('the lister is ready: it registers series as expiries come up')
  const warning = !state.hasPrices
    ? 'no source of prices (--prices, PRICE_HISTORY_URL): no series is halted when its market goes quiet'
    : state.hasHalter
      ? null
      : `no key that may halt: markets without a price for ${duration(quiet)} are only reported`
  if (warning !== null) cli.out.advise({ type: 'warning', warning }, `${cli.out.colors.yellow('warning:')} ${warning}`)
}
