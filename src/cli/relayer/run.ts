import { usd6ToNumber } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { coin, exactUsd } from '@rfqctl/lib/format'
import { stopped } from '@rfqctl/lib/stop'
import { readVersion } from '@rfqctl/lib/version'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import type { Address, Usd6 } from '@rfqctl/protocol/domain/units'
import { createSystemClock } from '@rfqctl/relay/adapters/clock'
import { createLog } from '@rfqctl/relay/adapters/log'
import { type RunningRelayer, startRelayer } from '@rfqctl/relay/app/start-relayer'
import type { Cli, Run } from '../cli.ts'
import { openAccount, refusePublicKey, type SameAccountOptions } from '../context/account.ts'
import { type ChainOptions, settingValues, tradingChain } from '../context/targets.ts'
import { isService, logToStderr } from '../serve/serve.ts'
import { factLines } from '../terminal/table.ts'

type Options = ChainOptions &
  SameAccountOptions & {
    fee: Usd6
    feeRecipient: string
    host: string
    port: number
    maxGasPrice: bigint
    maxGas: number
    maxCoinPerDay: bigint
    fillsPerHour: number
    clientFillsPerHour: number
    coinPrice?: Usd6
  }

/** Two minutes of a chain with two-second blocks. */
const MAX_QUEUE = 50

/** Per address: twenty submissions at once, then one in five seconds. */
const REQUEST_RATE = { perS: 2, burst: 200 }

/** Submits fills for takers until it is stopped. */
export const run: Run<Options> = async (cli, options) => {
  const values = settingValues(cli)
  if (isService(cli)) logToStderr(cli, values.LOG_LEVEL)
  const { account: name = null, keyFile, keyStdin, host, port } = options
  if (name === null && keyFile === undefined && keyStdin !== true) {
    throw new CliError('no key given', { hint: '--account NAME, --key-file PATH or --key-stdin' })
  }
  assertAffordable(options)
  const { rpcUrl, stablecoinAddress, chainId, settlementAddress, coreAddress } = tradingChain(cli, options)
  if (stablecoinAddress === null) throw new CliError('the stablecoin is unknown', { hint: 'set STABLECOIN_ADDRESS' })
  const feeRecipient = recipientOf(options, [settlementAddress, coreAddress, stablecoinAddress])
  const { account } = await openAccount(cli, { ...options, account: name ?? '' })
  await refusePublicKey(account.address, rpcUrl, options)
  const running = await startRelayer({
    account,
    rpcUrl,
    environment: { chainId, settlementAddress, coreAddress, stablecoinAddress },
    settings: {
      chainId,
      settlementAddress,
      feeRecipient,
      fee: options.fee,
      coinPrice: options.coinPrice ?? null,
      maxGas: BigInt(options.maxGas),
      maxGasPrice: options.maxGasPrice,
      maxCoinPerDay: options.maxCoinPerDay,
      maxFillsPerHour: options.fillsPerHour,
      maxFillsPerClient: options.clientFillsPerHour,
      maxQueue: MAX_QUEUE,
    },
    server: {
      software: readVersion(),
      trustProxy: values.TRUST_PROXY,
      corsOrigins: values.CORS_ORIGINS,
      maxConnections: values.MAX_CONNECTIONS,
      maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS || null,
      keepAliveMs: values.KEEP_ALIVE_MS,
      requestRate: REQUEST_RATE,
    },
    host,
    port,
    clock: createSystemClock(),
    log: createLog({ level: values.LOG_LEVEL }),
  })
  tellReady(cli, running)
  await stopped(cli.stop)
  cli.out.note('shutting down: what was sent is waited for')
  await running.close()
}

function tellReady({ out }: Cli, { url, terms }: RunningRelayer): void {
  const { wallet, feeRecipient, fee, maxCoinPerDay, reason } = terms
  const ready = { type: 'relayer', url, wallet, feeRecipient, fee: usd6ToNumber(fee), reason }
  const facts: [string, string][] = [
    ['takers', url],
    ['wallet', wallet],
    ['fee', `${exactUsd(fee)} to ${feeRecipient}`],
    ['gas', `at most ${coin(maxCoinPerDay)} of the coin a day`],
  ]
  out.print(ready, [
    out.colors.bold('the relayer is ready'),
    ...factLines(facts, out.colors).map((line) => `  ${line}`),
  ])
  if (reason === null) return
  const warning = `it takes no fills now: ${reason}`
  out.advise({ type: 'warning', warning }, `${out.colors.yellow('warning:')} ${warning}`)
}

/** A day's budget below the cost of one fill would never be spent. */
function assertAffordable({ maxGas, maxGasPrice, maxCoinPerDay }: Options): void {
  const most = BigInt(maxGas) * maxGasPrice
  if (most <= maxCoinPerDay) return
  throw new CliError(`one fill may cost ${coin(most)} of the coin, and a day ${coin(maxCoinPerDay)}`, {
    hint: 'raise --max-coin-per-day, or lower --max-gas or --max-gas-price',
  })
}

function recipientOf({ feeRecipient }: Options, contracts: readonly Address[]): Address {
  const address = parseAddress(feeRecipient)
  if (address === null) throw new CliError('--fee-recipient is not an address')
  if (!contracts.includes(address)) return address
  throw new CliError('--fee-recipient is a contract of this market', {
    hint: 'name a wallet: a fee there would be lost',
  })
}
