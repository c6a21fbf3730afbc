import type { Hex } from '@rfqctl/client/index'
import { attempt } from '../parts/attempt.ts'
import type { Storage } from './ports.ts'
import { boundedPrivacy, NO_PRIVACY, type Privacy } from './privacy.ts'
import { MAX_KEPT_TRADES, type TradeRecord } from './trade-record.ts'

export type TradeStorage = ReturnType<typeof createTradeStorage>

/** Each trade has a key of its own, so that two pages never overwrite each other's. */
const TRADE = 'rfqctl:trade:'
const WALLET = 'rfqctl:wallet'
const NOTICES = 'rfqctl:notices'
const PRIVACY = 'rfqctl:privacy'
/** News that a page has shown: each has a key of its own, whose value is the time. */
const NEWS = 'rfqctl:news:'
const SANDBOX_KEY = 'rfqctl:sandbox-key'

/** Any more of them, and the oldest are forgotten. */
const MOST_NEWS = 100

/** A trade is a few thousand characters; anything longer is not ours. */
const MAX_TEXT = 65_536

export function createTradeStorage(storage: Storage) {
  // Without room or storage the page says so and continues.
  const isDone = (write: () => void): boolean =>
    attempt(() => {
      write()
      return true
    }) === true
  return {
    /** Unreadable trades are left out. */
    load: () =>
      storage
        .keys()
        .filter((key) => key.startsWith(TRADE))
        .flatMap((key) => decodeRecord(storage.read(key)) ?? [])
        .toSorted((a, b) => b.openedAt - a.openedAt)
        .slice(0, MAX_KEPT_TRADES),
    /** False if the browser keeps nothing. */
    save: (record: TradeRecord) => isDone(() => storage.write(TRADE + record.request.requestId, encodeRecord(record))),
    forget: (requestId: string) => void attempt(() => storage.remove(TRADE + requestId)),
    /** Reports trades that another page changed or removed, and its choices. Returns the unsubscribe function. */
    onChange: (
      hear: (
        change: { record: TradeRecord } | { forgotten: string } | { notices: boolean } | { privacy: Privacy },
      ) => void,
    ) =>
      storage.onChange(({ key, text }) => {
        if (key === NOTICES) return hear({ notices: text !== null })
        if (key === PRIVACY) return hear({ privacy: decodePrivacy(text) })
        if (!key.startsWith(TRADE)) return
        if (text === null) return hear({ forgotten: key.slice(TRADE.length) })
        const record = decodeRecord(text)
        if (record !== null) hear({ record })
      }),
    privacy: () => decodePrivacy(storage.read(PRIVACY)),
    /** False if the browser keeps nothing. */
    savePrivacy: (privacy: Privacy) => isDone(() => storage.write(PRIVACY, JSON.stringify(privacy))),
    wantsNotices: () => storage.read(NOTICES) !== null,
    saveNotices: (isWanted: boolean) =>
      void attempt(() => (isWanted ? storage.write(NOTICES, 'on') : storage.remove(NOTICES))),
    /** Whether no page has shown this news yet; from now on, one has. */
    claimNews: (id: string, now: number): boolean => {
      if (storage.read(NEWS + id) !== null) return false
      isDone(() => storage.write(NEWS + id, String(now)))
      const shown = storage.keys().filter((key) => key.startsWith(NEWS))
      const oldest = shown.toSorted((a, b) => Number(storage.read(b)) - Number(storage.read(a))).slice(MOST_NEWS)
      for (const key of oldest) attempt(() => storage.remove(key))
      return true
    },
    /** The wallet used last; null if there was none, or it was disconnected. */
    wallet: () => storage.read(WALLET),
    saveWallet: (id: string | null) =>
      void attempt(() => (id === null ? storage.remove(WALLET) : storage.write(WALLET, id))),
  }
}

/** The key of the sandbox's account, which the page makes once: it controls nothing but test dollars. */
export function keepSandboxKey(storage: Storage, make: () => Hex): Hex {
  const kept = storage.read(SANDBOX_KEY)
  if (kept !== null && /^0x[0-9a-f]{64}$/.test(kept)) return kept as Hex
  const key = make()
  // Without storage the key lasts as long as the page.
  attempt(() => storage.write(SANDBOX_KEY, key))
  return key
}

/** The text may be written by anyone at this browser: what cannot be read keeps nothing from makers. */
function decodePrivacy(text: string | null): Privacy {
  const read = attempt(() => JSON.parse(text ?? '{}') as Partial<Record<keyof Privacy, unknown>> | null)
  const { exceptMakers, isBlind } = read ?? {}
  const names = Array.isArray(exceptMakers) ? exceptMakers.filter((name) => typeof name === 'string') : []
  return text === null ? NO_PRIVACY : boundedPrivacy({ exceptMakers: names, isBlind: isBlind === true })
}

/** JSON has no bigint, so sums are marked. */
const encodeRecord = (record: TradeRecord): string =>
  JSON.stringify({ version: 1, record }, (_, value: unknown) =>
    typeof value === 'bigint' ? { $bigint: value.toString() } : value,
  )

/** The text may be an earlier version's, or written by anyone at this browser. */
function decodeRecord(text: string | null): TradeRecord | null {
  if (text === null || text.length > MAX_TEXT) return null
  return attempt(() => {
    const { version, record } = JSON.parse(text, revive) as { version?: unknown; record?: TradeRecord }
    return version === 1 && isRecord(record) ? record : null
  })
}

function revive(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$bigint' in value)) return value
  return BigInt(String(value.$bigint))
}

const STAGES = ['quoting', 'committing', 'committed', 'filling', 'filled', 'simulated', 'ended']

const isRecord = (record: TradeRecord | undefined): record is TradeRecord =>
  typeof record?.request?.requestId === 'string' &&
  typeof record.request.takerSecret === 'string' &&
  typeof record.request.expiresAt === 'number' &&
  typeof record.openedAt === 'number' &&
  typeof record.revision === 'number' &&
  typeof record.request.terms?.option?.expiryMs === 'number' &&
  typeof record.request.terms.trade?.side === 'string' &&
  STAGES.includes(record.stage?.kind)
