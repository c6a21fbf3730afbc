import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  ClientSetupError,
  ContractRefusedError,
  OrderMismatchError,
  PaymentError,
  RelayError,
  RelayUnreachableError,
  type RfqctlError,
  TransactionRevertedError,
  TransactionUnminedError,
  WalletError,
} from '../../src/client/index.ts'
import { CONTRACT_ERRORS, type ContractRefusal } from '../../src/protocol/contracts/errors.ts'
import { ORDER_REFUSALS } from '../../src/protocol/contracts/order-status.ts'
import { ERRORS, type ErrorCode, errorEntry } from '../../src/protocol/domain/errors.ts'
import { STATUS } from '../../src/relay/server/errors.ts'
import { anchored } from './markdown.ts'

const TEST = fileURLToPath(new URL('../', import.meta.url))

const CODES = Object.keys(ERRORS) as ErrorCode[]

/** A code with what it is about, what it means and what to do. */
function item(code: string, about: string, message: string, hint: string): string {
  const meaning = [message, hint === '' ? '' : `*${hint}*`].filter((part) => part !== '').join(' ')
  return `- ${[code, about].filter((part) => part !== '').join(' ')}${meaning === '' ? '' : `: ${meaning}`}`
}

function itemOf(code: ErrorCode): string {
  const { message, hint = '', retryable } = errorEntry(code)
  return item(anchored(code), `${STATUS[code]}${retryable === true ? ', retryable' : ''}`, message, hint)
}

/** What the library itself finds; `http_` codes are in place of one that an answer lacks. */
const CLIENT_ITEMS = [
  item(
    anchored('unreachable'),
    '`RelayUnreachableError`',
    'No answer: the relay is down, the network is, or it fell silent. Whether the call took effect is not known.',
    'Try again. The library itself repeats commits and confirmations, which may be repeated safely.',
  ),
  item(
    anchored('unexpected_answer'),
    '`RelayError`',
    'The answer is not of the documented shape.',
    'See that the address is that of a relay, and of a version that this library knows.',
  ),
  item(
    anchored('http_…', 'http_status'),
    '`RelayError`',
    'The answer failed with this HTTP status and without a code: it comes from a proxy, or from another service.',
    'See what is between you and the relay.',
  ),
  item(
    anchored('order_mismatch'),
    '`OrderMismatchError`',
    'The order is not what was agreed; `faults` says in what. Nothing was signed, approved or paid.',
    'Do not sign or fill it. Tell the operator of the relay.',
  ),
  item(
    anchored('client_setup'),
    '`ClientSetupError`',
    'The call needs something that the client was made without.',
    'Make the client with `account`, and with `chain` and its `transport`.',
  ),
  item(
    anchored('transaction_reverted'),
    '`TransactionRevertedError`',
    'The transaction was mined and failed; `hash` is its hash.',
    '`rfqctl tx explain HASH` says why.',
  ),
  item(
    anchored('transaction_unmined'),
    '`TransactionUnminedError`',
    'None of the transactions was mined: the fee was too low to the end, or another transaction took the nonce.',
    'Use the account for nothing else, and try again.',
  ),
  item(
    anchored('payment_unavailable'),
    '`PaymentError`',
    'The stablecoin or the wallet cannot pay in this way. Nothing was signed for it.',
    'Pay in another way, or do what the hint says.',
  ),
  item(
    anchored('fee_above_limit'),
    '`PaymentError`',
    'The relayer asks for more than was allowed, or for more than the premium that its fee is taken from. Nothing was signed.',
    'Allow a higher fee, or fill from the wallet itself.',
  ),
  item(
    anchored('relayer_mismatch'),
    '`PaymentError`',
    'The relayer fills on another chain or contract than the client. Nothing was signed.',
    'Use a relayer of the deployment that the order is for.',
  ),
  item(
    anchored('wallet_rejected'),
    '`WalletError`',
    'The owner of the wallet rejected the request (code 4001 of EIP-1193). Nothing was signed or sent by it.',
    'Try again, and approve the request in the wallet.',
  ),
  item(
    anchored('wallet_wrong_chain'),
    '`WalletError`',
    'The wallet is on another chain than the contracts.',
    'Switch the wallet to the chain of `chain.chainId`, and call again.',
  ),
  item(
    anchored('wallet_no_account'),
    '`WalletError`',
    'The wallet shows no account, or not the one that signs.',
    'Unlock the wallet, connect the account to the page, and call again.',
  ),
]

const REFUSALS: readonly [string, ContractRefusal | null][] = [
  ...Object.entries(CONTRACT_ERRORS),
  ...Object.entries(ORDER_REFUSALS),
]

const snakeCase = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase()

/** An item for each code, with every error of a contract that goes by it; what the relay says of a code is there. */
function contractItems(): string[] {
  const named = REFUSALS.flatMap(([name, refusal]) => (refusal === null ? [] : [{ ...refusal, name }]))
  const items = [...new Set(named.map(({ code }) => code))].map((code) => {
    const ofCode = named.filter((refusal) => refusal.code === code)
    const names = [...new Set(ofCode.map(({ name }) => name))]
    const isAlike = names.every((name) => snakeCase(name) === code)
    const { message = '', hint } = ofCode[0] ?? {}
    const known = Object.hasOwn(ERRORS, code) ? errorEntry(code as ErrorCode) : undefined
    return item(
      known === undefined ? anchored(code) : `[\`${code}\`](#${code})`,
      isAlike ? '' : names.map((name) => `\`${name}\``).join(', '),
      known?.message === message ? '' : message,
      known?.hint === hint ? '' : (hint ?? ''),
    )
  })
  return [
    ...items,
    item(anchored('reverted'), 'any other', 'The contract refuses with an error that is not known here.', ''),
  ]
}

const page = (): string =>
  `# Error codes

For authors of clients and for operators: each code with its meaning and what to do about it.

Every failure is \`{"success": false, "error": ..., "code": ...}\`, whatever refused. \`error\` is a sentence for people and may
change; \`code\` is for programs and does not. \`hint\` says what to do and \`retryable\` that trying again can help, where that is known. For three codes, \`error\` is the code itself, with the
sentence in \`detail\`: \`maker_insufficient_balance\`, \`maker_insufficient_allowance\` and \`no_pending_acceptance\`.
A call on the maker WebSocket is refused by \`quote:error\` with the same fields. The socket itself closes with 4001 (key), 4029
(too many connections), 1009 (message too large), 1008 (too many fragments) or 1001 (shutting down).

Made from \`src/protocol/domain/errors.ts\` and \`src/protocol/contracts\`: \`npm run docs\`.

## The relay

Each code with its status, its \`error\` and, in italics, its \`hint\`. The codes from
\`relayer_unavailable\` to \`fill_not_found\` are those of a [relayer](../guides/operator/relayer.md), a process of its own.

${CODES.map(itemOf).join('\n')}

## The client library

Every error of \`rfqctl/client\` is an \`RfqctlError\`: \`code\`, \`hint\`, \`retryable\`, and \`docsPath\`, which leads to an entry of this
page. A \`RelayError\` carries the code that the relay gave, also one that is newer than this page.

${CLIENT_ITEMS.join('\n')}

## The contracts

A \`ContractRefusedError\` of the client library, \`rfqctl tx explain\` and the \`status\` of \`checkOrder\` name what a contract
refuses by these codes, the contract itself by the code in CamelCase (\`NotTaker\`) or by the names shown. Links lead to codes that the relay
has too, with the same meaning.

${contractItems().join('\n')}
`

/** All tests but this one, as one text. */
function allTests(): string {
  return readdirSync(TEST, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /\.(test|suite)\.ts$/.test(name) && !parentPath.endsWith('docs'))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n')
}

it('the page of error codes says what the table says', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/reference/errors.md')
})

it('every error of the client library leads to an entry of the page', () => {
  const refusals = REFUSALS.flatMap(([errorName, refusal]) =>
    refusal === null ? [] : [{ ...refusal, errorName, values: [] }],
  )
  const errors: RfqctlError[] = [
    ...[...CODES, 'unexpected_answer', 'http_502'].map((code) => new RelayError({ code, status: 502 })),
    ...refusals.map((refusal) => new ContractRefusedError(refusal)),
    new ContractRefusedError({ code: 'reverted', message: '', hint: null, errorName: '', values: [] }),
    new RelayUnreachableError('', { reason: '' }),
    new OrderMismatchError([]),
    new ClientSetupError(''),
    new TransactionRevertedError(''),
    new TransactionUnminedError([]),
    ...(['payment_unavailable', 'fee_above_limit', 'relayer_mismatch'] as const).map(
      (code) => new PaymentError('', { code, hint: '' }),
    ),
    ...(['wallet_rejected', 'wallet_wrong_chain', 'wallet_no_account'] as const).map(
      (code) => new WalletError('', { code, hint: '' }),
    ),
  ]
  const text = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8')
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)
  expect(anchors.length).toBeGreaterThan(100)
  expect(anchors).toHaveLength(new Set(anchors).size)
  const lost = errors.filter(
    ({ docsPath }) => !anchors.some((anchor) => docsPath === `docs/reference/errors.md#${anchor}`),
  )
  expect(lost.map(({ name, code }) => `${name} ${code}`)).toEqual([])
  expect(new RelayError({ code: 'of_a_newer_relay', status: 409 }).docsPath).toBe('docs/reference/errors.md')
})

it('every code of the table is produced by a test', () => {
  const tests = allTests()
  expect(CODES.filter((code) => !tests.includes(`'${code}'`))).toEqual([])
})
