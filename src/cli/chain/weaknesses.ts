import type { Authority } from '@rfqctl/client/authority'
import { duration } from '@rfqctl/lib/format'
import type { Blueprint } from '@rfqctl/onchain/deploy/blueprint'
import type { ChainClient } from '@rfqctl/onchain/deploy/chain-client'
import type { Address } from '@rfqctl/protocol/domain/units'

/** Gap in the protection of holders and writers that matters where there is real money. */
export type Weakness = { found: string; fix: string }

/** Choices of a core; `markets` is a conditional-token contract that is known to be on its chain, null where there is none. */
export type Safeguards = {
  holders: Readonly<Record<Office, Address | null>>
  disputeWindow: number
  conditionalTokens: Address | null
  markets: Address | null
}

type Office = 'owner' | 'guardian' | 'signer' | 'registrar' | 'halter'

/** Seconds in which a person notices a wrong price and vetoes it. */
const SHORTEST_WINDOW = 3_600

/** Polymarket's conditional tokens, on Polygon and on its test network. */
const KNOWN_MARKETS: Readonly<Record<number, Address>> = {
  137: '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045',
  80002: '0x69308FB512518e39F9b16112fA8d994F4e2Bf8bB',
}

/** One machine may hold the keys of registrar and halter. The owner may do what both may, so that it counts as no holder of theirs. */
const LENT: readonly Office[] = ['registrar', 'halter']

const APART: readonly (readonly [Office, Office])[] = [
  ['owner', 'signer'],
  ['guardian', 'signer'],
  ['registrar', 'signer'],
  ['halter', 'signer'],
  ['guardian', 'registrar'],
  ['guardian', 'halter'],
]

/** The known conditional-token contract of a chain, where it has code. */
export async function marketsOn(client: ChainClient, chainId: number): Promise<Address | null> {
  const address = KNOWN_MARKETS[chainId]
  if (address === undefined) return null
  return (await client.getCode({ address })) === undefined ? null : address
}

export const safeguardsOf = (authority: Authority, markets: Address | null): Safeguards => {
  const { owner, guardian, signer, registrar, halter, disputeWindow, conditionalTokens } = authority
  const holders = { owner: owner.holder, guardian: guardian.holder, signer: signer.holder, registrar, halter }
  return { holders, disputeWindow, conditionalTokens, markets }
}

export const plannedSafeguards = (blueprint: Blueprint, markets: Address | null): Safeguards => {
  const { owner, guardian, resolutionSigner: signer, registrar, halter, disputeWindow, conditionalTokens } = blueprint
  return { holders: { owner, guardian, signer, registrar, halter }, disputeWindow, conditionalTokens, markets }
}

export function weaknessesOf({ holders, disputeWindow, conditionalTokens, markets }: Safeguards): Weakness[] {
  return [
    ...(holders.owner === holders.guardian
      ? [
          {
            found: 'owner and guardian are one: no one can stop a stolen owner key',
            fix: 'rfqctl chain guardian propose ADDRESS',
          },
        ]
      : []),
    ...APART.filter(([one, other]) => isShared(holders, one, other)).map(([one, other]) => ({
      found: `${one} and ${other} are both ${holders[one]}: one stolen key has two roles`,
      fix: `rfqctl chain ${fixOf(one, other)}`,
    })),
    ...(disputeWindow < SHORTEST_WINDOW
      ? [
          {
            found:
              disputeWindow === 0
                ? 'there is no dispute window: no signed price can be vetoed'
                : `the dispute window of ${duration(disputeWindow * 1_000)} is too short for a person to veto a price`,
            fix: 'deploy with an hour or more before real money is at stake: rfqctl chain deploy --dispute-window 24h',
          },
        ]
      : []),
    ...(conditionalTokens === null && markets !== null
      ? [
          {
            found: `there is no last resort, and this chain has the markets' contract at ${markets}`,
            fix: `deploy with it before real money is at stake: rfqctl chain deploy --conditional-tokens ${markets}`,
          },
        ]
      : []),
  ]
}

function isShared(holders: Safeguards['holders'], one: Office, other: Office): boolean {
  const isOwners = (office: Office) => LENT.includes(office) && holders[office] === holders.owner
  return holders[one] !== null && holders[one] === holders[other] && !isOwners(one) && !isOwners(other)
}

/** The command that gives the role that is easier to replace to another account. */
const fixOf = (one: Office, other: Office): string =>
  LENT.includes(one) ? `${one} ADDRESS` : LENT.includes(other) ? `${other} ADDRESS` : `${other} propose ADDRESS`
