/** Pattern of a makerId that an account chooses: 3 to 24 characters. */
export const CHOSEN_MAKER_ID = '^[a-z][a-z0-9-]{2,23}$'

/** Prefixes of makerIds that a relay, an operator or a sandbox assigns. */
const RESERVED_STARTS = ['maker-', 'mm-', 'anon-']

/** Ids that the relay uses itself, and words that would pass for it, for its operator or for a part of it. */
const RESERVED: ReadonlySet<string> = new Set([
  ...[
    'admin',
    'administrator',
    'all',
    'anonymous',
    'any',
    'best',
    'constructor',
    'default',
    'demo',
    'everyone',
    'faucet',
    'keeper',
  ],
  ...[
    'maker',
    'makers',
    'market',
    'nobody',
    'none',
    'null',
    'official',
    'operator',
    'owner',
    'relay',
    'relayer',
    'rfqctl',
    'root',
  ],
  ...[
    'sandbox',
    'self',
    'settlement',
    'signer',
    'support',
    'system',
    'taker',
    'takers',
    'true',
    'false',
    'undefined',
    'you',
  ],
])

/** Whether no account may choose a makerId, which is `CHOSEN_MAKER_ID`, because it is not for strangers. */
export const isReservedMakerId = (makerId: string): boolean =>
  RESERVED.has(makerId) || RESERVED_STARTS.some((start) => makerId.startsWith(start))
