import { serviceCoreAbi } from '@rfqctl/protocol/contracts/abi'
import { CONTRACT_ERRORS, type ContractRefusal } from '@rfqctl/protocol/contracts/errors'
import { type ContractValue, contractUnit } from '@rfqctl/protocol/contracts/values'
import { maxPayoff } from '@rfqctl/protocol/domain/option'
import type { Order } from '@rfqctl/protocol/domain/order'
import { isReduceOnly, type RequestTerms, takesInventory } from '@rfqctl/protocol/domain/request'
import { type Contracts, contracts } from '@rfqctl/protocol/domain/units'
import type { OnchainTrade } from '@rfqctl/protocol/wire/commit'
import { ContractRefusedError } from './errors.ts'
import { isInventoryApproved } from './settlement.ts'
import type { Wallet } from './wallet.ts'

/** Options of an order that come from the seller's holdings, and options that its taker closes against those it has written. */
export type InventoryUse = { fromInventory: Contracts; closeAfter: Contracts }

const NONE = contracts(0n)

/**
 * Inventory use of a trade; null where all options are written, by `fill`. A reduce-only trade reduces the position whatever the relay
 * says, and a trade that did not ask for inventory takes none.
 */
export function inventoryUseOf(
  { order, fromInventory = NONE }: Pick<OnchainTrade, 'order' | 'fromInventory'>,
  terms: RequestTerms,
): InventoryUse | null {
  if (!takesInventory(terms)) return null
  const { optionAmount, makerSelling } = order
  const isReducing = isReduceOnly(terms.trade)
  const use = {
    fromInventory: isReducing && !makerSelling ? optionAmount : least(fromInventory, optionAmount),
    closeAfter: isReducing && makerSelling ? optionAmount : NONE,
  }
  return use.fromInventory === 0n && use.closeAfter === 0n ? null : use
}

/**
 * Inventory use adjusted to the chain's present state. Another taker may have taken more of a maker's options than the relay had counted
 * and so left it more money, or fewer options and so less: any split that the maker can pay for fills the order. Rejects with
 * `ContractRefusedError` where there is none, and where the taker's own position has become too small.
 */
export async function adjustInventoryUse(
  wallet: Wallet,
  input: { order: Order; terms: Pick<RequestTerms, 'option'>; makerShortfall: bigint; use: InventoryUse },
): Promise<InventoryUse> {
  const { order, makerShortfall, use } = input
  const { option } = input.terms
  const { maker, makerSelling, seriesId, optionAmount } = order
  const { fromInventory, closeAfter } = use
  const core = { address: wallet.setup.coreAddress, abi: serviceCoreAbi } as const
  const id = BigInt(seriesId)
  const seller = makerSelling ? maker : wallet.address
  const [long, isApproved, short] = await Promise.all([
    wallet.publicClient.readContract({ ...core, functionName: 'balanceOf', args: [seller, id] }),
    isInventoryApproved(wallet, seller),
    wallet.publicClient.readContract({ ...core, functionName: 'shortOf', args: [id, wallet.address] }),
  ])
  if (short < closeAfter) throw refused('ShortInsufficient', { short, amount: closeAfter })
  const most = isApproved ? least(long, optionAmount) : NONE
  if (!makerSelling) {
    if (fromInventory <= most) return use
    throw isApproved
      ? refused('ERC1155InsufficientBalance', { balance: long, needed: fromInventory })
      : refused('ERC1155MissingApprovalForAll', {})
  }
  const each = maxPayoff(option)
  const fewest = (makerShortfall + each - 1n) / each
  if (fewest > most) throw new ContractRefusedError({ ...MAKER_BACKED_OUT, errorName: 'MakerBalanceLow', values: [] })
  return { fromInventory: least(contracts(fromInventory > fewest ? fromInventory : fewest), most), closeAfter }
}

const MAKER_BACKED_OUT: ContractRefusal = {
  code: 'maker_insufficient_balance',
  message: 'The maker wallet has neither the options nor the collateral for this fill.',
  hint: 'The maker has moved them since it signed. Ask for new quotes and commit again.',
}

function refused(
  errorName: 'ShortInsufficient' | 'ERC1155InsufficientBalance' | 'ERC1155MissingApprovalForAll',
  found: Readonly<Record<string, bigint>>,
): ContractRefusedError {
  const values = Object.entries(found).map(
    ([name, value]): ContractValue => ({ name, unit: contractUnit('core', name), value }),
  )
  return new ContractRefusedError({ ...CONTRACT_ERRORS[errorName], errorName, values })
}

const least = (a: bigint, b: bigint): Contracts => contracts(a < b ? a : b)
