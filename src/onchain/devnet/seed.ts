import { serviceCoreAbi, testUsdAbi } from '@rfqctl/protocol/contracts/abi'
import { isPackage, optionTypeNumber, packLegs } from '@rfqctl/protocol/domain/option'
import { type SeriesTerms, seriesIdOf } from '@rfqctl/protocol/domain/series'
import { type Address, type Usd6, usd6 } from '@rfqctl/protocol/domain/units'
import { encodeFunctionData, getAbiItem, maxUint256, parseEther, zeroAddress } from 'viem'
import type { Deployment } from '../deploy/inspect.ts'
import type { DevAccount, DevAccounts } from './accounts.ts'
import type { DevClient } from './client.ts'
import { type DevCall, sendAll } from './send.ts'

/** Collateral for 1.6 million puts at 0.60. */
const MAKER_BALANCE = usd6(1_000_000n * 1_000_000n)
/** More comes from the faucet. */
const TAKER_BALANCE = usd6(10_000n * 1_000_000n)

const SERIES_CREATED = getAbiItem({ abi: serviceCoreAbi, name: 'SeriesCreated' })

/** Registers the series that the core lacks, all in one batch of transactions. */
export async function registerSeries(
  client: DevClient,
  { owner, coreAddress, series }: { owner: Address; coreAddress: Address; series: readonly SeriesTerms[] },
): Promise<void> {
  const logs = await client.getLogs({ address: coreAddress, event: SERIES_CREATED, fromBlock: 0n, strict: true })
  const known = new Set(logs.map(({ args }) => args.seriesId.toString()))
  const missing = series.filter((terms) => !known.has(seriesIdOf(terms)))
  await sendAll(
    client,
    owner,
    missing.map((terms) => createSeriesCall(coreAddress, terms)),
  )
}

/**
 * Gives stablecoin to makers and takers without any, and approvals to makers without any: a maker bot must be solvent
 * from its first quote. Existing balances stay.
 */
export async function fundWallets(client: DevClient, accounts: DevAccounts, deployment: Deployment): Promise<void> {
  const { makers, takers, faucet } = accounts
  const { stablecoinAddress, coreAddress, settlementAddress } = deployment
  const wallets = [
    ...makers.map(({ address }) => ({ address, amount: MAKER_BALANCE })),
    ...takers.map(({ address }) => ({ address, amount: TAKER_BALANCE })),
  ]
  const mints = Promise.all(wallets.map((wallet) => mintMissing(client, stablecoinAddress, wallet)))
  const approvals = makers.map(async (maker) => {
    const spenders = [coreAddress, settlementAddress]
    const missing = spenders.map((spender) => approveMissing(client, stablecoinAddress, { maker, spender }))
    await sendAll(client, maker.address, (await Promise.all(missing)).flat())
  })
  await Promise.all([sendAll(client, faucet.address, (await mints).flat()), ...approvals])
}

/** Funds a wallet outside the sandbox's own ten with stablecoin, micro-dollars, and gas money. */
export async function fundTrader(
  client: DevClient,
  input: { accounts: DevAccounts; deployment: Deployment; address: Address; amount: Usd6 },
): Promise<void> {
  const { accounts, deployment, address, amount } = input
  await giveGasMoney(client, address)
  const mint = await mintMissing(client, deployment.stablecoinAddress, { address, amount })
  await sendAll(client, accounts.faucet.address, mint)
}

function createSeriesCall(to: Address, terms: SeriesTerms): DevCall {
  const { conditionId, yesTokenId, expiry } = terms
  const market = [conditionId, BigInt(yesTokenId)] as const
  const data = isPackage(terms)
    ? encodeFunctionData({
        abi: serviceCoreAbi,
        functionName: 'createPackage',
        args: [...market, BigInt(expiry), packLegs(terms.legs)],
      })
    : encodeFunctionData({
        abi: serviceCoreAbi,
        functionName: 'createSeries',
        args: [...market, zeroAddress, terms.strikeBps, BigInt(expiry), optionTypeNumber(terms.optionType)],
      })
  return { does: `register series ${seriesIdOf(terms)}`, to, data }
}

async function mintMissing(
  client: DevClient,
  to: Address,
  { address, amount }: { address: Address; amount: Usd6 },
): Promise<DevCall[]> {
  const balance = await client.readContract({
    address: to,
    abi: testUsdAbi,
    functionName: 'balanceOf',
    args: [address],
  })
  if (balance > 0n) return []
  const data = encodeFunctionData({ abi: testUsdAbi, functionName: 'mint', args: [address, amount] })
  return [{ does: `mint to ${address}`, to, data }]
}

async function approveMissing(
  client: DevClient,
  to: Address,
  { maker, spender }: { maker: DevAccount; spender: Address },
): Promise<DevCall[]> {
  const args = [maker.address, spender] as const
  const allowance = await client.readContract({ address: to, abi: testUsdAbi, functionName: 'allowance', args })
  if (allowance > 0n) return []
  const data = encodeFunctionData({ abi: testUsdAbi, functionName: 'approve', args: [spender, maxUint256] })
  return [{ does: `approve ${spender}`, to, data }]
}

/** Thousands of fills, wei. */
const GAS_MONEY = parseEther('10')
/** A wallet below this gets `GAS_MONEY`, wei. */
const LOW = parseEther('1')

export async function giveGasMoney(client: DevClient, wallet: Address): Promise<void> {
  if ((await client.getBalance({ address: wallet })) >= LOW) return
  await client.setBalance({ address: wallet, value: GAS_MONEY })
}
