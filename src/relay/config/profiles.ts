import { DEFINITIONS, LIVE_TWAP, type SettingName } from './definitions.ts'

export type ProfileName = 'local' | 'amoy' | 'polygon' | 'custom'

/** Operators fill in what is null. */
export type ChainFacts = {
  chainId: number
  rpcUrl: string
  blockTimeMs: number
  stablecoin: string | null
}

/** `isOff` writes the setting as a comment; `note` follows its description. */
type Entry = { name: SettingName; value: string | number; isOff?: true; note?: string }

type Section = { title: string; entries: readonly Entry[] }

const SOURCES = {
  MARKETS_URL: 'https://gamma-api.polymarket.com/markets',
  PRICE_HISTORY_URL: 'https://clob.polymarket.com/prices-history',
} as const

/** The nodes are public, the stablecoins their issuers' own. */
export const CHAINS: Readonly<Record<'amoy' | 'polygon', ChainFacts>> = {
  amoy: { chainId: 80_002, rpcUrl: 'https://rpc-amoy.polygon.technology', blockTimeMs: 2_000, stablecoin: null },
  polygon: {
    chainId: 137,
    rpcUrl: 'https://polygon-rpc.com',
    blockTimeMs: 2_000,
    stablecoin: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  },
}

/** A head this many blocks old is stale, but never one younger than a minute. */
const STALE_BLOCKS = 10
const LEAST_STALE_MS = 60_000

/** Ended orders are looked up every so many blocks, but not more often than by default. */
const WATCH_BLOCKS = 2
const LEAST_WATCH_MS = 5_000

/** JSON with a comment above each setting. `chain` is null for the relay's own local chain. */
export function profileText(profile: ProfileName, chain: ChainFacts | null): string {
  const sections = [...(chain === null ? [] : chainSections(profile, chain)), ...commonSections(chain !== null)]
  const lines = sections.flatMap(({ title, entries }) => [
    '',
    `  // ${title}`,
    ...entries.flatMap((entry) => ['', ...entryLines(entry)]),
  ])
  return [
    `// Settings of rfqctl, made by "rfqctl init ${profile}". A line that begins with // is a comment.`,
    '// A flag wins over the environment, the environment over this file: rfqctl config view --origin',
    '// Keys and tokens belong in the environment, where no backup of this file has them.',
    '{',
    ...lines.slice(1),
    '}',
    '',
  ].join('\n')
}

const entryLines = ({ name, value, isOff, note }: Entry): string[] => [
  `  // ${DEFINITIONS[name].about}${note === undefined ? '' : `. ${note}`}`,
  `  ${isOff === true ? '// ' : ''}${JSON.stringify(name)}: ${JSON.stringify(value)}${name === LAST ? '' : ','}`,
]

/** No comma follows this setting, so every file has it, and never as a comment. */
const LAST: SettingName = 'LOG_LEVEL'

function chainSections(profile: ProfileName, { chainId, rpcUrl, blockTimeMs, stablecoin }: ChainFacts): Section[] {
  const isNamed = profile !== 'custom'
  const head = Math.max(LEAST_STALE_MS, STALE_BLOCKS * blockTimeMs)
  return [
    {
      title: `The chain. Its blocks are ${blockTimeMs / 1_000} s apart; what is final, the chain says itself (its finalized block).`,
      entries: [
        {
          name: 'RPC_URL',
          value: rpcUrl,
          ...(isNamed ? { note: 'A public node, which refuses more than a little: use your own' } : {}),
        },
        { name: 'CHAIN_ID', value: chainId },
        { name: 'HEAD_STALE_MS', value: head, note: `${head / blockTimeMs} blocks` },
        { name: 'ORDER_WATCH_MS', value: Math.max(LEAST_WATCH_MS, WATCH_BLOCKS * blockTimeMs) },
      ],
    },
    {
      title: 'The contracts. "rfqctl chain deploy" prints these lines.',
      entries: [
        { name: 'START_BLOCK', value: 0, isOff: true },
        { name: 'SETTLEMENT_ADDRESS', value: '0x…', isOff: true },
        { name: 'CORE_ADDRESS', value: '0x…', isOff: true },
        stablecoin === null
          ? { name: 'STABLECOIN_ADDRESS', value: '0x…', isOff: true }
          : {
              name: 'STABLECOIN_ADDRESS',
              value: stablecoin,
              note:
                profile === 'polygon'
                  ? 'USDC; deploy with --stablecoin and this address'
                  : 'Deploy with --stablecoin and this address',
            },
      ],
    },
    {
      title: 'Where markets and prices come from.',
      entries: [
        { name: 'MARKETS_URL', value: SOURCES.MARKETS_URL },
        { name: 'PRICE_HISTORY_URL', value: SOURCES.PRICE_HISTORY_URL },
      ],
    },
    {
      title: 'When prices settle a series. With less than this, a person decides: rfqctl settle review list',
      entries: [
        { name: 'SETTLE_LAG_MS', value: 120_000 },
        { name: 'TWAP_MIN_POINTS', value: LIVE_TWAP.minPoints },
        { name: 'TWAP_MAX_GAP_S', value: LIVE_TWAP.maxGapS },
      ],
    },
  ]
}

/** Only for a relay whose takers all use our client, or one that signs as it does. */
const PROVEN_ONLY: Entry = {
  name: 'COMMIT_PROOF',
  value: 'required',
  isOff: true,
  note: 'Shuts out clients that know the specification alone, and wallets that cannot sign EIP-712',
}

const commonSections = (isExternal: boolean): Section[] => [
  {
    title: 'The relay.',
    entries: [
      {
        name: 'HOST',
        value: '127.0.0.1',
        ...(isExternal ? { note: 'A proxy in front of it has the certificate' } : {}),
      },
      { name: 'PORT', value: 8787 },
      ...(isExternal ? [{ name: 'TRUST_PROXY', value: '127.0.0.1', isOff: true } as const] : []),
      ...(isExternal ? [PROVEN_ONLY] : []),
      { name: 'DATA_DIR', value: '.rfqctl' },
      ...(isExternal ? [{ name: 'DATABASE_URL', value: 'postgres://…', isOff: true } as const] : []),
      { name: LAST, value: 'info' },
    ],
  },
]
