import { type Address, createTakerClient, type SeriesId, type Usd6 } from '../../client/index.ts'
import type { Narrator } from './narrator.ts'
import { chainOf, type Stage } from './stage.ts'

/** What the chain says of one account: stablecoin in micro-dollars, whole options held and owed by series. */
export type Holdings = { usd: Usd6; long: ReadonlyMap<SeriesId, bigint>; short: ReadonlyMap<SeriesId, bigint> }

/** All accounts of the story by name, as the chain has them. */
export type Snapshot = ReadonlyMap<string, Holdings>

/** What must have changed between two snapshots; whoever is not named must be as before. */
export type Movements = Readonly<Record<string, { usd?: bigint; long?: bigint; short?: bigint }>>

/** The name under which the core contract, which holds all collateral, stands in a snapshot. */
export const CORE = 'core contract'

/** Reads every account of the stage from the chain. */
export async function readSnapshot(stage: Stage, seriesIds: readonly SeriesId[]): Promise<Snapshot> {
  const accounts: readonly (readonly [string, Address])[] = [
    ...[...stage.takers, ...stage.makers].map(({ name, address }) => [name, address] as const),
    [CORE, stage.coreAddress],
    ['settlement contract', stage.settlementAddress],
  ]
  return new Map(
    await Promise.all(
      accounts.map(async ([name, account]) => [name, await readHoldings(stage, account, seriesIds)] as const),
    ),
  )
}

/** Checks every account for exactly the movements that must have happened, and for none besides. */
export function checkMovements(
  narrator: Narrator,
  {
    before,
    after,
    seriesId,
    movements,
  }: { before: Snapshot; after: Snapshot; seriesId: SeriesId; movements: Movements },
): void {
  for (const [name, now] of after) {
    const was = before.get(name)
    const must = movements[name] ?? {}
    narrator.check(`the balance of ${name}`, now.usd, (was?.usd ?? 0n) + (must.usd ?? 0n))
    narrator.check(`what ${name} holds`, at(now.long, seriesId), at(was?.long, seriesId) + (must.long ?? 0n))
    narrator.check(`what ${name} owes`, at(now.short, seriesId), at(was?.short, seriesId) + (must.short ?? 0n))
  }
}

async function readHoldings(stage: Stage, account: Address, seriesIds: readonly SeriesId[]): Promise<Holdings> {
  const client = createTakerClient({ url: stage.url, account, chain: chainOf(stage) })
  const [usd, positions] = await Promise.all([client.getBalance(), client.listPositions({ seriesIds })])
  return {
    usd,
    long: new Map(positions.map(({ seriesId, long }) => [seriesId, long])),
    short: new Map(positions.map(({ seriesId, short }) => [seriesId, short])),
  }
}

const at = (amounts: ReadonlyMap<SeriesId, bigint> | undefined, seriesId: SeriesId): bigint =>
  amounts?.get(seriesId) ?? 0n
