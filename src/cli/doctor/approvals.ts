import { hasApprovals, type Pair, readApprovals } from '@rfqctl/client/approvals'
import { transportOf } from '@rfqctl/client/from-text'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import type { Address } from '@rfqctl/protocol/domain/units'
import { publicClient } from '../context/clients.ts'
import { settingValues, type TradingChain, tradingChain } from '../context/targets.ts'
import { knownWallet } from '../wallet/find-wallet.ts'
import { approvalFacts, formerSettlements, pairsOf } from '../wallet/former.ts'
import { listKept } from '../wallet/keystores.ts'
import { type DoctorContext, type Finding, good, unseen, warning } from './check.ts'
import { expectsRelay } from './relay.ts'

type Named = { name: string | null; address: Address }

/**
 * Looks whether wallets still let contracts that were traded on before draw their money, move their options or count
 * keys of theirs. Silent where no former contracts or no wallets are known.
 */
export async function checkApprovals(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  const wallets = walletsOf(context)
  const chain = chainOf(context)
  if (wallets.length === 0 || chain === null) return []
  const known = [...formerSettlements(cli, options, chain), ...(await servedBefore(context))]
  const pairs = await pairsOf(known, chain).catch(() => null)
  if (pairs === null) return [unseen('approvals', 'those to former contracts: the chain cannot be read')]
  return (await Promise.all(pairs.map((pair) => pairFindings(chain, { pair, wallets })))).flat()
}

/** Null where the chain or its contracts are unknown, which another check says. */
function chainOf({ cli, options, sandbox }: DoctorContext): TradingChain | null {
  if (options.rpc === undefined && settingValues(cli).RPC_URL === null && !sandbox?.rpcUrl) return null
  try {
    return tradingChain(cli, options)
  } catch {
    return null
  }
}

/** Wallets of one's own, and the one of --account, a name or an address. */
function walletsOf({ cli, options, dataDir }: DoctorContext): Named[] {
  const kept = keptIn(dataDir)
  const { account } = options
  if (account === undefined) return kept
  const named = knownWallet(cli, { ...options, account }, parseAddress(account) === null ? undefined : account)
  return [...kept.filter(({ address }) => address !== named.address), named]
}

/** None where one of the keystores is damaged, which another check says. */
function keptIn(dataDir: string): Named[] {
  try {
    return listKept(dataDir).flatMap(({ name, address }) => (address === null ? [] : [{ name, address }]))
  } catch {
    return []
  }
}

/** Former contracts that the relay names; none where it does not answer, which another check says. */
async function servedBefore(context: DoctorContext): Promise<readonly Address[]> {
  const { cli, options } = context
  if (!expectsRelay(context)) return []
  return publicClient(cli, options)
    .getEnvironment({ signal: cli.stop })
    .then(
      ({ formerSettlementAddresses }) => formerSettlementAddresses,
      () => [],
    )
}

async function pairFindings(
  { rpcUrl }: TradingChain,
  { pair, wallets }: { pair: Pair; wallets: readonly Named[] },
): Promise<Finding[]> {
  const transport = transportOf(rpcUrl)
  const { settlementAddress } = pair
  const findings = await Promise.all(
    wallets.map(async ({ name, address }): Promise<Finding[]> => {
      const approvals = await readApprovals(transport, { pair, wallet: address }).catch(() => null)
      const who = name ?? address
      if (approvals === null) return [unseen('approvals', `what ${who} has approved to ${settlementAddress}`)]
      if (!hasApprovals(approvals)) return []
      const facts = approvalFacts(approvals).map(([what, does]) => `${what} ${does}`)
      const fix = `rfqctl wallet revoke ${settlementAddress} ${name === null ? `--calldata --from ${address}` : `--account ${name}`}`
      return [warning('approvals', `of ${who} to former contracts (${settlementAddress}): ${facts.join('; ')}`, fix)]
    }),
  )
  const found = findings.flat()
  return found.length > 0
    ? found
    : [good('approvals', `no wallet here has any at former contracts (${settlementAddress})`)]
}
