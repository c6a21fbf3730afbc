import { type Address, createTakerClient, type SeriesId, type Usd6 } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import type { DemoContext } from './open-demo.ts'

/** An account on chain: stablecoin in micro-dollars, whole options held and owed by series. */
export type Holdings = { usd: Usd6; long: ReadonlyMap<SeriesId, bigint>; short: ReadonlyMap<SeriesId, bigint> }

export type Snapshot = ReadonlyMap<string, Holdings>

/** Expected changes between two snapshots; an account that is not named must not change. */
export type Movements = Readonly<Record<string, { usd?: bigint; long?: bigint; short?: bigint }>>

/** Contracts' names in a snapshot; the core holds all collateral. */
export const CORE = 'core contract'
const SETTLEMENT = 'settlement contract'

type Change = { before: Snapshot; after: Snapshot }

export type BalanceChecks = ReturnType<typeof createBalanceChecks>

/** Compares numbers read from the chain with the expected ones, and counts them. */
export function createBalanceChecks() {
  let count = 0

  function check(what: string, actual: bigint, expected: bigint): void {
    count += 1
    if (actual === expected) return
    throw new CliError(`${what} is wrong`, {
      code: 'demo_mismatch',
      why: [`the chain says ${actual}`, `expected ${expected}`, `the difference is ${actual - expected}`],
      hint: 'this is a bug: please report it with the output above',
    })
  }

  return {
    /** Checks every account for exactly the expected movements. Throws a `CliError` `demo_mismatch`. */
    movements: (change: Change & { seriesId: SeriesId; movements: Movements }): void => {
      const { before, after, seriesId, movements } = change
      for (const [name, now] of after) {
        const was = before.get(name)
        const must = movements[name] ?? {}
        check(`the balance of ${name}`, now.usd, (was?.usd ?? 0n) + (must.usd ?? 0n))
        check(`what ${name} holds`, at(now.long, seriesId), at(was?.long, seriesId) + (must.long ?? 0n))
        check(`what ${name} owes`, at(now.short, seriesId), at(was?.short, seriesId) + (must.short ?? 0n))
      }
    },
    /** Checks that one account's loss is another's gain, and that the contracts keep nothing. Throws like `movements`. */
    totals: ({ before, after }: Change): void => {
      const changes = [...after].map(([name, { usd }]) => usd - (before.get(name)?.usd ?? 0n))
      check(
        'the sum of all changes',
        changes.reduce((sum, change) => sum + change, 0n),
        0n,
      )
      for (const name of [CORE, SETTLEMENT]) check(`what the ${name} keeps`, after.get(name)?.usd ?? 0n, 0n)
    },
    /** Numbers checked so far. */
    count: (): number => count,
  }
}

export async function readSnapshot(
  { url, chain, makers, takers }: DemoContext,
  seriesIds: readonly SeriesId[],
): Promise<Snapshot> {
  const accounts: readonly (readonly [string, Address])[] = [
    ...[...takers, ...makers].map(({ name, address }) => [name, address] as const),
    [CORE, chain.coreAddress],
    [SETTLEMENT, chain.settlementAddress],
  ]
  const holdings = accounts.map(async ([name, account]): Promise<[string, Holdings]> => {
    const client = createTakerClient({ url, account, chain })
    const [usd, positions] = await Promise.all([client.getBalance(), client.listPositions({ seriesIds })])
    const long = new Map(positions.map((position) => [position.seriesId, position.long]))
    const short = new Map(positions.map((position) => [position.seriesId, position.short]))
    return [name, { usd, long, short }]
  })
  return new Map(await Promise.all(holdings))
}

const at = (amounts: ReadonlyMap<SeriesId, bigint> | undefined, seriesId: SeriesId): bigint =>
  amounts?.get(seriesId) ?? 0n
