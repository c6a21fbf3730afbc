import { getAbiItem, toFunctionSelector } from 'viem'
import { serviceCoreAbi } from '../../contracts/abi.ts'
import type { SeriesId } from '../../domain/series.ts'
import type { Address, ResolutionBps } from '../../domain/units.ts'
import type { SeriesState } from '../../relay/ports/chain.ts'
import { encodeView, type View, ViewRevertedError } from './views.ts'

const GET_SERIES = toFunctionSelector(getAbiItem({ abi: serviceCoreAbi, name: 'getSeries' }))
const SERIES_UNKNOWN = toFunctionSelector('SeriesUnknown(uint256)')

/** expiry, strikeBps, optionType, resolutionBps, settled, halted, openInterest. */
const WORDS = 7

/** What a core says of a series; null when it does not know it. */
export async function readSeriesState(view: View, core: Address, seriesId: SeriesId): Promise<SeriesState | null> {
  const words = await view(core, encodeView(GET_SERIES, BigInt(seriesId)), WORDS).catch(nullIfUnknown)
  if (words === null) return null
  const [expiry, , , resolutionBps, settled, halted] = words
  return {
    expiry: Number(expiry),
    halted: halted !== 0n,
    resolutionBps: settled === 0n ? null : (Number(resolutionBps) as ResolutionBps),
  }
}

function nullIfUnknown(fault: unknown): null {
  if (fault instanceof ViewRevertedError && fault.data.startsWith(SERIES_UNKNOWN)) return null
  throw fault
}
