import { isPackage } from '@rfqctl/protocol/domain/option'
import type { RequestTerms } from '@rfqctl/protocol/domain/request'
import type { Channel, RequestKind } from './ports/live.ts'

/** The request of the specification: a single option on one side, of which every maker hears. */
export const PLAIN: RequestKind = { packages: false, twoSided: false }

export const kindOf = ({ option, trade }: Pick<RequestTerms, 'option' | 'trade'>): RequestKind => ({
  packages: isPackage(option),
  twoSided: trade.side === 'both',
})

/** Whether a stream that asked for some kinds hears of a request of another. */
export const hearsOf = (asked: RequestKind, { packages, twoSided }: RequestKind): boolean =>
  (asked.packages || !packages) && (asked.twoSided || !twoSided)

/** The channel that counts the streams which hear of a kind. */
export const channelOf = ({ packages, twoSided }: RequestKind): Exclude<Channel, 'socket'> => {
  if (packages) return twoSided ? 'twoSidedPackages' : 'packages'
  return twoSided ? 'twoSided' : 'stream'
}

/** The channels that a stream counts in besides its own. */
export const channelsOf = ({ packages, twoSided }: RequestKind): readonly Exclude<Channel, 'socket' | 'stream'>[] => [
  ...(packages ? (['packages'] as const) : []),
  ...(twoSided ? (['twoSided'] as const) : []),
  ...(packages && twoSided ? (['twoSidedPackages'] as const) : []),
]
