import type { Authority, Role, RoleState } from '@rfqctl/client/authority'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration, exactUsd } from '@rfqctl/lib/format'
import { createChainClient } from '@rfqctl/onchain/deploy/chain-client'
import { readSigner } from '@rfqctl/onchain/deploy/quorum-signer'
import type { Address, Usd6 } from '@rfqctl/protocol/domain/units'
import type { Cli } from '../cli.ts'
import { addressIn } from '../context/address-in.ts'
import { tradingChain } from '../context/targets.ts'
import { atText, chosenJson, chosenSeries, packagesOf, standingOf } from '../send/chosen-series.ts'
import { type Holder, nothingToDo, type SendOptions, sending } from '../send/send.ts'
import { listSeriesRows } from '../show/series-listing.ts'

/** Gas bound: one series takes some 30,000. */
const SERIES_PER_CALL = 200

export const ownerIn = ({ owner }: Authority): Holder => ({ role: 'owner', address: owner.holder })

export const guardianIn = ({ guardian }: Authority): Holder => ({ role: 'guardian', address: guardian.holder })

/** None where the owner has set none. */
const haltersIn = ({ halter }: Authority): Holder[] => (halter === null ? [] : [{ role: 'halter', address: halter }])

/** For acts that need no notice period. */
export const AT_ONCE = ['counts from', 'its block, at once'] as const

/** Halting also covers the packages that a series is a leg of; resuming does not. */
const settingHalt = (isHalted: boolean) =>
  sending<SendOptions & { all?: boolean }, [series: string[]]>(async (sender, cli, options, texts) => {
    const { authority, calls, client } = sender
    const all = options.all === true
    if (all === texts.length > 0) throw new CliError('name the series, or all of them with --all')
    const listed = all ? (await listSeriesRows(cli, options, client)).rows.filter(({ state }) => state === 'open') : []
    const chosen = await chosenSeries(sender, cli, options, all ? listed.map(({ name }) => name) : texts)
    // With --all, open packages are among the chosen. The owner resumes a package by its own name.
    const packages = isHalted && !all ? await packagesOf(sender, cli, options, chosen) : []
    const series = [...chosen, ...(packages ?? [])].filter((one) => one.isHalted !== isHalted)
    if (series.length === 0) throw nothingToDo(isHalted ? 'halted already, or none is open' : 'not halted')
    const verb = isHalted ? 'halt' : 'resume'
    const what = `${series.length} series`
    return {
      type: isHalted ? 'series_halted' : 'series_resumed',
      act: `${verb} ${what}`,
      holders: isHalted ? [...haltersIn(authority), guardianIn(authority), ownerIn(authority)] : [ownerIn(authority)],
      facts: [
        ...series.map((one) => [one.name, standingOf(one, authority.time)] as const),
        ...(packages === null
          ? [['packages', 'not looked for: no relay answers; halt those with these legs by their ids'] as const]
          : []),
        AT_ONCE,
        [
          'then',
          isHalted
            ? 'no new options are written; claims, closes and settlement stay open'
            : 'new options are written again, until expiry',
        ],
        [
          'undone by',
          isHalted
            ? 'the owner, at once: rfqctl chain resume'
            : 'halter, guardian or owner, at once: rfqctl chain halt',
        ],
      ],
      data: { series: series.map(chosenJson) },
      calls: chunksOf(series, SERIES_PER_CALL).map((chunk) =>
        calls.setHalted({ seriesIds: chunk.map(({ seriesId }) => seriesId), isHalted }),
      ),
      done: `${isHalted ? 'halted' : 'resumed'} ${what}`,
    }
  })

export const halt = settingHalt(true)

export const resume = settingHalt(false)

export const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

const ROLES: Readonly<Record<Role, { title: string; effect: string }>> = {
  signer: {
    title: 'resolution signer',
    effect: 'resolutions that others signed are void; only those of the new signer count',
  },
  guardian: { title: 'guardian', effect: 'only the new guardian halts, vetoes and revokes beside the owner' },
  owner: { title: 'owner', effect: 'the new owner names everyone else' },
}

/** The proposed account takes its role by itself, which shows that it can act. */
const acceptorOf = (role: Role, authority: Authority): Holder => ({
  role: `proposed ${role}`,
  address: authority[role].proposed?.address ?? null,
})

const roleFacts = (title: string, { holder, proposed }: RoleState, now: number): (readonly [string, string])[] => [
  [title, holder ?? 'no one'],
  ...(proposed === null
    ? []
    : ([
        [
          'proposed',
          `${proposed.address}, acceptable from ${atText(proposed.acceptableAt, now)} until ${atText(proposed.lapsesAt, now)}`,
        ],
      ] as const)),
]

export const authorityFacts = (authority: Authority): (readonly [string, string])[] => [
  ...(Object.keys(ROLES) as Role[]).flatMap((role) => roleFacts(ROLES[role].title, authority[role], authority.time)),
  ['registrar', authority.registrar ?? 'no one but the owner'],
  ['halter', authority.halter ?? 'no one but guardian and owner'],
  ['cap', `${capText(authority.defaultCap)} of a new market and expiry`],
  ...(authority.tradingCutoff === 0
    ? []
    : [['trading ends', `${duration(authority.tradingCutoff * 1_000)} before expiry`] as const]),
  ['dispute window', authority.disputeWindow === 0 ? 'none' : duration(authority.disputeWindow * 1_000)],
]

/** The guardian, too, revokes proposals, except those for its own role. */
const revokersOf = (role: Role, authority: Authority): Holder[] =>
  role === 'guardian' ? [ownerIn(authority)] : [guardianIn(authority), ownerIn(authority)]

const namesOf = (holders: readonly Holder[]): string => holders.map(({ role }) => `the ${role}`).join(' or ')

const proposing = (role: Role) =>
  sending<SendOptions, [address: string]>(async ({ authority, calls }, _cli, _options, text) => {
    const { title, effect } = ROLES[role]
    const { time, notices } = authority
    const account = addressIn('ADDRESS', text)
    const { holder, proposed } = authority[role]
    // While another account is proposed, proposing the holder replaces that proposal.
    if (account === holder && proposed === null) throw nothingToDo(`${account} is the ${title} already`)
    const acceptableAt = time + notices.role
    return {
      type: `${role}_proposed`,
      act: `propose ${account} as ${title}`,
      holders: [ownerIn(authority)],
      facts: [
        ...roleFacts(title, authority[role], time),
        ['counts from', `${atText(acceptableAt, time)}, once it is accepted: rfqctl chain ${role} accept`],
        ['until then', `nothing changes${authority[role].proposed === null ? '' : '; the proposal above is replaced'}`],
        ['then', effect],
        [
          'undone by',
          `${namesOf(revokersOf(role, authority))}, until it is accepted: rfqctl chain ${role} revoke ${account}`,
        ],
      ],
      data: { role, account, acceptableAt, state: authority[role] },
      calls: [calls.proposeRole({ role, account })],
      done: `proposed ${account} as ${title}, acceptable from ${atText(acceptableAt, time)}`,
    }
  })

/** A contract of several keys takes its role by a call that anyone may send. */
async function isQuorum(cli: Cli, options: SendOptions, role: Role, account: Address): Promise<boolean> {
  if (role !== 'signer') return false
  const signer = await readSigner(createChainClient(tradingChain(cli, options).rpcUrl), account)
  return signer.kind === 'quorum' && signer.isOurs
}

const NEW_SIGNERS =
  'start the relay with the sockets of its signers (RESOLUTION_SIGNER_SOCKET), unless it has them; until then series do not settle'

/** The relay needs the new signer's key. */
const NEW_KEY = "start the relay with the new signer's key; until then series do not settle (signer_not_in_office)"

const accepting = (role: Role) =>
  sending<SendOptions>(async ({ authority, calls }, cli, options) => {
    const { title, effect } = ROLES[role]
    const { holder, proposed } = authority[role]
    if (proposed === null) throw nothingToDo(`no one is proposed as ${title}; the ${title} is ${holder ?? 'no one'}`)
    const account = proposed.address
    const ofSeveral = await isQuorum(cli, options, role, account)
    return {
      type: `${role}_accepted`,
      act: `make ${account} the ${title}`,
      holders: ofSeveral ? [] : [acceptorOf(role, authority)],
      facts: [
        ...roleFacts(title, authority[role], authority.time),
        AT_ONCE,
        ['then', effect],
        ['undone by', `another proposal, with ${duration(authority.notices.role * 1_000)} of notice`],
      ],
      data: { role, account, state: authority[role] },
      calls: [ofSeveral ? calls.acceptForQuorum({ signer: account }) : calls.acceptRole({ role })],
      done: `${account} is the ${title}`,
      ...(role === 'signer' ? { next: ofSeveral ? NEW_SIGNERS : NEW_KEY } : {}),
    }
  })

/** Revokes a proposal, or removes the active resolution signer. */
const revoking = (role: Role) =>
  sending<SendOptions, [address?: string]>(async ({ authority, calls }, _cli, _options, text) => {
    const { title } = ROLES[role]
    const { holder, proposed } = authority[role]
    const found = role === 'signer' ? (holder ?? proposed?.address) : proposed?.address
    const account = text === undefined ? found : addressIn('ADDRESS', text)
    if (account === undefined)
      throw nothingToDo(`no one is proposed as ${title}; the ${title} is ${holder ?? 'no one'}`)
    const isCurrent = account === holder
    return {
      type: `${role}_revoked`,
      act: isCurrent ? `remove ${account} as ${title} at once` : `take the proposal of ${account} as ${title} back`,
      holders: revokersOf(role, authority),
      facts: [
        ...roleFacts(title, authority[role], authority.time),
        AT_ONCE,
        [
          'then',
          isCurrent
            ? 'what it signed is void, and so are its prices that are not final; until another signer is accepted, markets and the owner settle series'
            : `the ${title} remains ${holder ?? 'no one'}`,
        ],
        [
          'undone by',
          role === 'signer' ? 'no one: this address can never sign again' : 'another proposal, with its whole notice',
        ],
      ],
      data: { role, account, current: isCurrent, state: authority[role] },
      calls: [calls.revokeRole({ role, account })],
      done: isCurrent ? `${account} is no longer the ${title}` : `the proposal of ${account} is taken back`,
      ...(isCurrent ? { next: `rfqctl chain ${role} propose ADDRESS` } : {}),
    }
  })

export const setRegistrar = sending<SendOptions, [address: string]>(
  async ({ authority, calls }, _cli, _options, text) => {
    const account = text === 'none' ? null : addressIn('ADDRESS', text)
    const act = account === null ? 'let no one but the owner register series' : `let ${account} register series`
    return {
      type: 'registrar_set',
      act,
      holders: [ownerIn(authority)],
      facts: [
        ['registrar', authority.registrar ?? 'no one but the owner'],
        AT_ONCE,
        ['then', `${account ?? 'no one'} registers series beside the owner; a registrar can touch nothing that exists`],
        ['undone by', 'the owner, at once'],
      ],
      data: { account, former: authority.registrar },
      calls: [calls.setRegistrar({ account })],
      done: account === null ? 'only the owner registers series' : `${account} registers series`,
    }
  },
)

export const setHalter = sending<SendOptions, [address: string]>(async ({ authority, calls }, _cli, _options, text) => {
  const account = text === 'none' ? null : addressIn('ADDRESS', text)
  const act = account === null ? 'let no one but guardian and owner halt series' : `let ${account} halt series`
  return {
    type: 'halter_set',
    act,
    holders: [ownerIn(authority)],
    facts: [
      ['halter', authority.halter ?? 'no one but guardian and owner'],
      AT_ONCE,
      ['then', `${account ?? 'no one'} halts series beside guardian and owner, and can do nothing else`],
      ['undone by', 'the owner, at once'],
    ],
    data: { account, former: authority.halter },
    calls: [calls.setHalter({ account })],
    done: account === null ? 'only guardian and owner halt series' : `${account} halts series`,
  }
})

/** 0: no cap. */
const capText = (cap: Usd6): string => (cap === 0n ? 'any sum' : `at most ${exactUsd(cap)}`)

/** Counts for markets and expiries whose first series is registered from then on; 0: no cap. */
export const setCap = sending<SendOptions, [cap: Usd6]>(async ({ authority, calls }, _cli, _options, cap) => {
  const { defaultCap } = authority
  if (cap === defaultCap) throw nothingToDo(`${capText(defaultCap)} of a new market and expiry can be owed already`)
  return {
    type: 'default_cap_set',
    act: `let ${capText(cap)} be owed by all series of a new market and expiry`,
    holders: [ownerIn(authority)],
    facts: [
      ['cap', capText(defaultCap)],
      AT_ONCE,
      ['then', 'a market and expiry without a series yet has the new cap, packages included; others keep theirs'],
      ['the relay', 'refuses a commit beyond the cap (amount_too_large)'],
      ['undone by', 'the owner, at once, for those that have no series by then'],
    ],
    data: { cap: cap.toString(), former: defaultCap.toString() },
    calls: [calls.setDefaultCap({ cap })],
    done: `${capText(cap)} can be owed by all series of a new market and expiry`,
  }
})

export const ROLE_ACTS = {
  propose: { signer: proposing('signer'), guardian: proposing('guardian'), owner: proposing('owner') },
  accept: { signer: accepting('signer'), guardian: accepting('guardian'), owner: accepting('owner') },
  revoke: { signer: revoking('signer'), guardian: revoking('guardian'), owner: revoking('owner') },
}
