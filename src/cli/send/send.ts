import { type Authority, getAuthority } from '@rfqctl/client/authority'
import { checkCall } from '@rfqctl/client/check-call'
import { type ContractCall, type ContractCalls, createContractCalls } from '@rfqctl/client/contract-calls'
import type { ContractRefusedError } from '@rfqctl/client/errors'
import { transportOf } from '@rfqctl/client/from-text'
import { createSafeBatch } from '@rfqctl/client/safe-batch'
import { createTakerClient } from '@rfqctl/client/taker'
import type { TakerClient } from '@rfqctl/client/taker-client'
import type { ChainSetup } from '@rfqctl/client/wallet'
import { CliError } from '@rfqctl/lib/cli-error'
import { plural } from '@rfqctl/lib/format'
import { utcText } from '@rfqctl/protocol/domain/safe-text'
import type { Address } from '@rfqctl/protocol/domain/units'
import type { Cli, Run } from '../cli.ts'
import { type AccountOptions, type CliAccount, openAccount } from '../context/account.ts'
import { addressIn } from '../context/address-in.ts'
import { chainSetup } from '../context/clients.ts'
import { type ChainOptions, type RelayOptions, relayUrl, tradingChain } from '../context/targets.ts'
import { createWalletNames } from '../context/wallet-names.ts'
import { valueLine } from '../show/contract-text.ts'
import { factLines } from '../terminal/table.ts'
import { knownWallet } from '../wallet/find-wallet.ts'

export type SendOptions = RelayOptions &
  ChainOptions &
  AccountOptions & { yes?: boolean; calldata?: boolean; from?: string }

/** `address` is the sender; null: the holder of the role that the draft needs. */
export type Sender = {
  calls: ContractCalls
  chain: ChainSetup
  authority: Authority
  address: Address | null
  /** Null where nothing is sent. */
  owner: CliAccount | null
  client: TakerClient
}

export type Holder = { role: string; address: Address | null }

/** A preview of what is about to be sent. */
export type Draft = {
  /** For programs: `series_halted`. */
  type: string
  /** An imperative in lower case: "halt 2 series". */
  act: string
  /** Roles that may send it; empty: the wallet that it is about. */
  holders: readonly Holder[]
  /** Read from the chain: the subject, when it counts, who can undo it. */
  facts: readonly (readonly [name: string, value: string])[]
  data: Readonly<Record<string, unknown>>
  calls: readonly ContractCall[]
  /** Shown once it is done: "halted 2 series". */
  done: string
  /** Replaces `done` per transaction. */
  tell?: (index: number) => readonly { value: Readonly<Record<string, unknown>>; text: string }[]
  /** Shown once everything is sent. */
  after?: () => Promise<string>
  /** False where the command line says it all, so that no confirmation is needed. */
  asks?: false
  /** The next command, if any. */
  next?: string
}

type DraftOf<Who, Options, Args extends readonly unknown[]> = (
  sender: Who,
  cli: Cli,
  options: Options,
  ...args: Args
) => Promise<Draft>

/**
 * `draftOf` reads the chain and describes what is sent, and who can do what and when. The draft is shown, and sent
 * after a yes. `--calldata` sends nothing and prints the batch for a multi-signature wallet.
 */
export const sending =
  <Options extends SendOptions, Args extends readonly unknown[] = []>(
    draftOf: DraftOf<Sender, Options, Args>,
  ): Run<Options, Args> =>
  async (cli, options, ...args) => {
    const sender = await openSender(cli, options, null)
    await sendDraft(cli, options, { sender, draft: await draftOf(sender, cli, options, ...args) })
  }

/** Like `sending`, for a wallet's own positions and orders. */
export const sendingOwn =
  <Options extends SendOptions, Args extends readonly unknown[] = []>(
    draftOf: DraftOf<Sender & { address: Address }, Options, Args>,
  ): Run<Options, Args> =>
  async (cli, options, ...args) => {
    const sender = await openSender(cli, options, () => knownWallet(cli, options, undefined).address)
    // Without a key, --from or the account gave the address.
    const own = { ...sender, address: sender.address as Address }
    await sendDraft(cli, options, { sender: own, draft: await draftOf(own, cli, options, ...args) })
  }

export async function sendDraft(
  cli: Cli,
  options: SendOptions,
  { sender, draft }: { sender: Sender; draft: Draft },
): Promise<void> {
  const from = sender.address ?? draft.holders[0]?.address ?? null
  if (options.calldata === true) return printCalldata(cli, options, { sender, draft, from })
  assertHolder(draft, from)
  if (draft.asks !== false) {
    showDraft(cli, options, { sender, draft, from })
    // A person who says yes has read the effect, so a call that the chain would refuse is not asked about.
    const refusal = await refusalNow({ sender, draft, from })
    if (refusal !== null) throw refusal
    await assertYes(cli, options, draft)
  }
  for (const [index, call] of draft.calls.entries()) {
    const { transactionHash: txHash } = await sender.client.sendCall({ call, signal: cli.stop })
    const told = draft.tell?.(index) ?? [{ value: draft.data, text: draft.done }]
    for (const { value, text } of told) cli.out.print({ type: draft.type, ...value, txHash }, `${text}: ${txHash}`)
  }
  if (draft.after !== undefined) cli.out.note(await draft.after())
  if (draft.next !== undefined) cli.out.note(`Next: ${draft.next}`)
}

/** With --calldata, which sends nothing, the sender is the address of a multi-signature wallet. */
export async function openSender(cli: Cli, options: SendOptions, lookUp: (() => Address) | null): Promise<Sender> {
  const url = relayUrl(cli, options)
  if (options.calldata === true) {
    const { rpcUrl, stablecoinAddress: _, ...contracts } = tradingChain(cli, options)
    const chain = { ...contracts, transport: transportOf(rpcUrl) }
    const address = options.from === undefined ? (lookUp?.() ?? null) : addressIn('--from', options.from)
    const client = createTakerClient({ url, ...(address === null ? {} : { account: address }), chain })
    return {
      calls: createContractCalls(chain),
      chain,
      authority: await getAuthority(chain),
      address,
      owner: null,
      client,
    }
  }
  if (options.from !== undefined) throw new CliError('--from goes with --calldata: a key signs for its own address')
  const owner = await openAccount(cli, options)
  const { account } = owner
  const chain = await chainSetup(cli, options, account.address)
  const client = createTakerClient({ url, account, chain })
  const authority = await getAuthority(chain)
  return { calls: createContractCalls(chain), chain, authority, address: account.address, owner, client }
}

/** `--to`, else the wallet itself. */
export const recipientOf = ({ to }: { to?: string }, own: Address): Address =>
  to === undefined ? own : addressIn('--to', to)

function assertHolder({ act, holders }: Draft, from: Address | null): void {
  if (holders.length === 0 || holders.some(({ address }) => address === from)) return
  const roles = holders.map(({ role }) => `the ${role}`).join(' or ')
  throw new CliError(`only ${roles} can ${act}`, {
    code: 'not_in_role',
    why: [...holders.map(({ role, address }) => `the ${role} is ${address ?? 'no one'}`), `this wallet is ${from}`],
    hint: 'use --account or --key-file of that wallet, or --calldata for a multi-signature wallet',
  })
}

type Shown = { sender: Pick<Sender, 'chain' | 'authority'>; draft: Draft; from: Address | null }

/** Simulates the first call only; null where it would succeed, or where there is no sender. */
const refusalNow = async ({
  sender: { chain },
  draft: { calls },
  from,
}: Shown): Promise<ContractRefusedError | null> => {
  const [call] = calls
  return call === undefined || from === null ? null : checkCall({ chain, call, from })
}

/** Every moment of a preview is relative to the chain's time. */
const targetFacts = ({ sender: { chain, authority }, draft }: Shown): (readonly [string, string])[] => [
  ['chain', `${chain.chainId}, at ${utcText(authority.time * 1_000)}`],
  ...new Map(draft.calls.map(({ contract, to }) => [contract, to] as const)),
]

function showDraft(cli: Cli, options: SendOptions, shown: Shown): void {
  const { draft, from } = shown
  const { explain } = createWalletNames(cli, options)
  const { out } = cli
  const who = draft.holders.map(({ role, address }) => `the ${role} ${address ?? '(no one)'}`).join(', or ')
  const lines = factLines(
    [
      ['about to', out.colors.bold(draft.act)],
      ...targetFacts(shown),
      ['sender', from ?? 'no one'],
      ...(who === '' ? [] : ([['who may', who]] as const)),
      ...draft.facts,
      ...(draft.calls.length === 1 ? [] : ([['sends', plural(draft.calls.length, 'transaction')]] as const)),
    ],
    out.colors,
  )
  if (out.isJson) out.print(draftJson(shown), '')
  else for (const line of lines) out.note(explain(line))
}

const draftJson = ({ sender, draft: { type, act, holders, data, calls }, from }: Shown) => ({
  type: 'preview',
  of: type,
  act,
  chainId: sender.chain.chainId,
  time: sender.authority.time,
  from,
  holders,
  ...data,
  transactions: calls.map(({ to, functionName, data: bytes }) => ({ to, value: '0', functionName, data: bytes })),
})

/** Without a terminal no one can answer, so a script has to pass --yes. */
export async function assertYes(
  cli: Cli,
  options: Pick<SendOptions, 'yes'>,
  { act }: Pick<Draft, 'act'>,
): Promise<void> {
  if (options.yes === true) return
  const answer = cli.ask === undefined ? null : await cli.ask(`${act}? Type yes: `)
  if (answer !== null && /^\s*y(es)?\s*$/i.test(answer)) return
  throw new CliError('nothing was sent', {
    code: 'not_confirmed',
    why: [answer === null ? 'no one can be asked: this is not a terminal' : 'the answer was not yes'],
    hint: 'pass --yes to send it without a question, or --calldata to only print it',
  })
}

async function printCalldata(cli: Cli, options: SendOptions, shown: Shown): Promise<void> {
  if (!cli.out.isJson) showDraft(cli, options, shown)
  const { sender, draft, from } = shown
  const refusal = await refusalNow(shown)
  if (refusal !== null) {
    const { code, message, values } = refusal
    const text = ['sent now, it would be refused:', message, ...values.map(valueLine)].join(' ')
    cli.out.advise({ type: 'refused_now', code, message, values }, text)
  }
  const { act: name, calls } = draft
  const { chainId } = sender.chain
  const safe = createSafeBatch({ chainId, safe: from, name, calls, createdAt: Date.now() })
  cli.out.verbatim({ ...draftJson(shown), type: 'calldata', safe }, JSON.stringify(safe, null, 2))
}

/** The refusal where the state is already as wanted. */
export const nothingToDo = (why: string): CliError =>
  new CliError('there is nothing to send', { code: 'nothing_to_do', why: [why], hint: 'rfqctl chain status' })
