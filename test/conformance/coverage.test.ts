import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeApi } from '../../src/relay/server/openapi/describe.ts'
import { DECISIONS } from '../docs/decisions.ts'

/** The decisions with a letter that this suite does not show whole: each sentence, where it is shown, by which title. */
const ELSEWHERE: readonly [row: string, file: string, title: string][] = [
  [
    'X7, one budget for all that comes in',
    'test/relay/server/frames-in.test.ts',
    'from one socket that sends without end come in sixteen at a time',
  ],
  [
    'S7, one price for a market and expiry',
    'test/client/keeper.int.test.ts',
    'settles all series of a market and expiry by one transaction',
  ],
  ['U8, how amounts are shown to people', 'test/lib/format.test.ts', 'no amount but nothing reads as nothing'],
  ['B6, a page commits and pays in one step', 'test/web/trade/session.test.ts', 'and fills at once'],
  [
    'B7, what a page must not lose',
    'test/web/trade/reload.test.ts',
    'a fill that was on its way is found by its transaction',
  ],
  ['B8, a fallback is inferred', 'test/web/trade/session.test.ts', 'says when another maker is asked'],
  ['B9, the key of a page', 'test/web/trade/wallets.test.ts', 'an account whose key a browser makes once'],
  ['B10, one next step at a time', 'test/web/trade/views.test.tsx', 'is drawn on purpose in every sample state'],
  ['B11, charts are functions of values', 'test/web/parts/charts.test.ts', 'crosses no profit where the straight line'],
  ['B12, drawn once a frame', 'test/web/store.test.ts', 'a change that may not wait is drawn at once'],
  ['O1, scenarios', 'test/conformance/operations.test.ts', 'scenarios are played by rfqctl trigger'],
  [
    'Z1, without settings: a chain, contracts, series, a file store',
    'test/cli/process.int.test.ts',
    'keeps its sandbox',
  ],
  ['Z1, flags: --host', 'test/conformance/start.test.ts', 'production, and an open host, need keys'],
  ['Z1, flags: --port 0, --data-dir, --json', 'test/conformance/start.test.ts', 'the ready line names all addresses'],
  ['Z1, flags: --memory', 'test/cli/process.int.test.ts', 'leaves nothing of its own with --memory'],
  ['Z1, flags: --no-chain', 'test/conformance/commit.test.ts', 'mode is simulated without a chain'],
  ['Z1, flags: --rpc', 'test/conformance/start.test.ts', 'RPC_URL without the addresses'],
  ['Z2, flags beat the environment', 'test/relay/config/sources.test.ts', 'a flag beats the environment'],
  ['Z2, production never starts an Anvil', 'test/conformance/start.test.ts', 'production never starts an Anvil'],
  ['Z1, the ready line', 'test/cli/process.int.test.ts', 'says exactly the ready line'],
  ['Z1, logs go to stderr', 'test/conformance/start.test.ts', 'stdout holds the ready line and nothing else'],
  [
    'Z1, SIGTERM drains and exits with 0',
    'test/e2e/shutdown.int.test.ts',
    'drains 100 streams, 50 sockets and 3 commits',
  ],
  ['Z2, a bad setting stops the start', 'test/conformance/start.test.ts', 'bad settings stop the start'],
  ['Z2, every fault at once, and no secret', 'test/cli/process.int.test.ts', 'every setting at fault is named at once'],
  ['Z1, rfqctl demo', 'test/e2e/demo.smoke.test.ts', 'the demo lives a trade of each side'],
  [
    'F3, a firm signature is shown to no one',
    'test/conformance/secrets.test.ts',
    'no key, token, taker secret, firm signature or late signature reaches a log or the store',
  ],
  [
    'X1, bounds that answer 429',
    'test/relay/server/request-rates.test.ts',
    'is refused with Retry-After beyond the rate',
  ],
  ['X2, market.yesPrice', 'test/relay/core/requests.test.ts', 'the same to those who hear it live'],
  [
    'X2, the status counts makers and sockets',
    'test/clients/clients.test.ts',
    'trades, and receives once what it missed',
  ],
  [
    'X2, streams are chunked, retry: in the first block',
    'test/relay/server/heads.test.ts',
    'comes in chunks, the first of which',
  ],
  ['X2, HEAD', 'test/relay/server/heads.test.ts', 'is answered as the GET, without its body'],
  ['X3, twenty points, 150 seconds apart', 'test/relay/config/rules.test.ts', 'needs twenty points, 150 seconds apart'],
  ['X3, production refuses fixtures', 'test/relay/config/rules.test.ts', 'are refused in production, both at once'],
  [
    'X3, a key that is not the active signer',
    'test/relay/core/settlement.test.ts',
    'signs nothing that the core would refuse',
  ],
  ['X4, the faucet gives gas', 'test/cli/own-wallet.smoke.test.ts', 'trades once the faucet has served it'],
  [
    'C14, options that a seller holds',
    'test/relay/core/inventory.test.ts',
    'sells them to a taker that can fill from inventory',
  ],
  [
    'K1, what a package pays',
    'test/protocol/domain/package.test.ts',
    'pays what its legs come to less the least of it',
  ],
  ['K2, the id of a package', 'test/protocol/domain/package.test.ts', 'make the id of a package'],
  ['K3, prices above a dollar', 'test/relay/server/packages.test.ts', 'may cost more than a dollar'],
  ['K4, makers that did not ask for packages', 'test/relay/server/packages.test.ts', 'receives none on its stream'],
  ['K5, a halted leg', 'test/relay/server/packages.test.ts', 'with a halted leg is not committed'],
  ['W1, a switched chain', 'test/client/signer.test.ts', 'signs and sends nothing once it is switched'],
  [
    'W2, a key that signs for a maker',
    'test/cli/maker-signers.int.test.ts',
    'a maker authorises a key, which quotes for it',
  ],
  ['W3, who signed an order', 'test/client/order-signature.test.ts', 'a key that the maker authorised is named'],
  [
    'W4, what a relayer gets',
    'test/e2e/wallets/client-payments.int.test.ts',
    'signs for no longer than a relayer needs',
  ],
  [
    'W5, ways to pay',
    'test/e2e/wallets/client-payments.int.test.ts',
    'a way to pay that the coin or the wallet does not have',
  ],
  [
    'W6, the share of a partner',
    'test/e2e/wallets/client-payments.int.test.ts',
    'is refused before anything is signed where the contract would refuse it',
  ],
  [
    'X5, unknown messages are ignored',
    'test/conformance/maker-socket.test.ts',
    'a message that is neither auth nor ping',
  ],
]

/** The rows of the specification's tables and lists, each with how the title of a test that shows it begins or goes on. */
const ROWS: readonly [row: string, title: string][] = [
  ['Maker transport: quote requests by SSE', 'a maker stream is connected, snapshot_begin'],
  ['Maker transport: quotes and confirmations by REST', 'POST /v1/mm/quotes answers a quoteId'],
  ['Maker transport: post-trade events by WebSocket', 'connected has protocolVersion 3'],
  ['What the service does, 6', 'one approval and fill() lock collateral'],
  ['What the service does, 7', 'anyone settles on chain with the attestation'],
  ['Series', 'each with the fields of Series'],
  ['Series, seriesId', 'Series.seriesId is the keccak256 hash'],
  ['Series, settled and resolutionBps', 'settled becomes true and resolutionBps is set'],
  ['Market summary', 'each with the fields of Market summary'],
  ['Quote request of a buy', 'on a buy makers see'],
  ['Quote request of a sell', 'on a sell makers see'],
  ['Quote request, params.wallet', 'makers see the wallet in params'],
  ['Quote request, optionType as a number', 'in option.optionType the numeric'],
  ['Quote request, the fill of a buy', 'a buy fills %s'],
  ['Quote submission, required fields', '%s of a quote is required'],
  ['Quote submission, expires_in_ms', 'expires_in_ms is an integer of at least 1'],
  ['Best quote', 'polling shows all seven fields of the best quote'],
  ['Best quote on the stream', "best_quote has the specification's subset of fields"],
  ['Order, the struct and its domain', 'the signature of an order recovers to the maker'],
  ['Order in JSON', 'seriesId, optionAmount and premiumAmount of an order are decimal strings'],
  ['Execution record', 'commit answers message, mode, quote and execution'],
  ['Settlement attestation', 'a TWAP over the 30 minutes that end at expiry, attested'],
  ['User', 'GET /v1/user/profile'],
  ['API key record', 'API key record: the secret is stored as a hash only'],
  ['States, none to open', 'POST /quote-requests answers requestId, expiresAt and makersConnected'],
  ['States, open: a quote', 'a maker has one quote per request'],
  ['States, open: a commit', 'makers receive a committed request'],
  ['States, pending: a confirmation', 'the best quote wins, its maker receives confirmed'],
  ['States, pending: the deadline', 'when the deadline passes the commit falls back'],
  ['States, pending: all miss', 'when all candidates miss: 503'],
  ['States, open: expiresAt', 'at expiresAt closed and quote_request_expired'],
  ['GET /v1/markets', 'GET /v1/markets answers count and markets'],
  ['GET /v1/series', 'GET /v1/series takes conditionId'],
  ['GET /v1/series/{seriesId}', 'GET /v1/series/{seriesId} is 404'],
  ['POST /quote-requests/{id}/commit, onchain', 'onchain: addresses, order, signature, domain, chainId'],
  ['POST /quote-requests/{id}/commit, simulated', 'mode is simulated without a chain'],
  ['Taker approval rule', 'for a short fill the spender of the approval'],
  ['Validation, requestId', 'a quote on an unknown request is 404'],
  ['Validation, quote.side', "quote.side must equal the taker's side"],
  ['Validation, quote.size', 'quote.size is on a sell at least half'],
  ['Validation, quote.price', 'a price of %s does not lie in the open interval'],
  ['Validation, no-arbitrage', 'a %s of strike %i costs at most %d'],
  ['Solvency check of a maker that sells', 'a maker that sells needs the collateral'],
  ['Solvency check of a maker that buys', 'a maker that buys needs the premium'],
  ['Solvency check at commit', 'solvency is checked again at commit'],
  ['POST /v1/mm/quotes/{quoteId}/confirm', 'POST /v1/mm/quotes/{quoteId}/confirm answers success'],
  ['Resolution waterfall, closed market', 'the outcome of a market that has closed'],
  ['Resolution waterfall, no price', 'without a price in the window nothing is signed'],
  ['POST /faucet', 'POST /faucet: amount, txHash and message'],
  ['POST /v1/user/api-keys', 'POST /v1/user/api-keys: the key in plain text, once'],
  ['GET /v1/user/api-keys', 'GET /v1/user/api-keys: lastUsedAt'],
  ['DELETE /v1/user/api-keys/{id}', 'DELETE /v1/user/api-keys/{id}: the key stops at once'],
  ['Authentication rule 1', '%s is public, and a key sent to it is ignored'],
  ['Authentication rule 2', 'REST takes the key in the header or the query'],
  ['Authentication rule 3', 'the key may come in a first message'],
  ['Authentication rule 4, success', 'connected has protocolVersion 3'],
  ['Authentication rule 4, close code 4001', 'a bad key closes the socket with 4001'],
  ['Authentication rule 5', 'any signed-in user can create a key'],
  ['Authentication rule 6', 'a maker key quotes, and opens nothing of the operator'],
  ['Authentication rule 7', 'no one overwrites another maker'],
  ['Authentication rule 8', 'in open mode anyone quotes without a key'],
  ['Authentication rule 9', 'static keys and the legacy key'],
  ['Authentication rule 10', 'only the wallet that committed can fill'],
  ['Maker SSE stream, quote_request', 'quote_request carries a monotonic integer id'],
  ['Maker SSE stream, Last-Event-ID', 'after a Last-Event-ID every later event is replayed'],
  ['Taker SSE stream, best_quote', 'best_quote comes whenever the payload changes'],
  ['Taker SSE stream, closed', 'closed comes once, with the requestId'],
  ['Maker WebSocket, quote:accepted', 'quote:accepted has ids, order, domain'],
  ['Maker WebSocket, quote:confirmed', 'quote:confirmed has requestId'],
  ['Maker WebSocket, quote:rejected', 'its maker receives confirmed and the others rejected'],
  ['Maker WebSocket, pong', 'pong answers an application ping'],
  ['Errors: balance too low', 'a maker that sells needs the collateral'],
  ['Errors: allowance too low', 'and has to approve it to the core contract'],
  ['Errors: confirm after the deadline', 'a confirm after the deadline is 404'],
  ['Errors: unknown or expired request', 'submit, poll, commit and stream of an expired request are 404'],
  ['Errors: stream of an unknown request', 'of an unknown request is 404 as JSON'],
  ['Errors: no maker confirms', 'when all candidates miss: 503'],
  ['Errors: faucet within the cooldown', 'within the cooldown the faucet is 429'],
  ['Errors: faucet not configured', 'the faucet and the resolution signer are 503'],
  ['Errors: maker key on REST', 'REST takes the key in the header or the query'],
  ['Errors: maker key on WebSocket', 'a bad key closes the socket with 4001'],
  ['Errors: access token', 'an invalid access token is 401'],
  ['Limits: API rate limits', 'there are no rate limits that an honest client meets'],
  ['Limits: faucet', '1000 units by default'],
  ['Limits: quote request TTL', 'a request lives for 5 minutes by default'],
  ['Limits: confirmation deadline', 'the confirmation deadline is 10 seconds by default'],
  ['Limits: minimum quote size', 'the least quote.size is one whole option'],
  ['Limits: keep-alive', 'event streams say ": ping"'],
  ['Limits: series index refresh', 'the series index refreshes by itself'],
  ['Limits: quote per maker per request', 'a maker has one quote per request'],
  ['Versioning: REST description', 'the version of the REST description is 3.0.0'],
  ['Versioning: paths', 'maker and discovery paths carry /v1'],
  ['Versioning: protocol 3', '/maker/v1/status reports protocol 3'],
  ['Versioning: EIP-712 domain', 'the EIP-712 domain version is 1'],
]

const folder = new URL('./', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const suite = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && !import.meta.url.endsWith(name))
  .map(read)
  .join('\n')
const harness = readdirSync(new URL('harness/', folder)).filter((name) => name.endsWith('.ts'))

/** The lines that may hold a title or an address; a decision in a comment shows nothing. */
const linesOf = (text: string) =>
  text.split('\n').filter((line) => /['"`]/.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line))
const titles = linesOf(suite)
const lines = [...titles, ...harness.flatMap((name) => linesOf(read(`harness/${name}`)))]

it.each(ROWS)('%s has a test', (_row, title) => {
  expect(titles.some((line) => line.includes(title))).toBe(true)
})

const decisions = DECISIONS.flatMap(({ anchors }) => anchors)

it('every decision with a letter has a test that cites it, or is listed above', () => {
  const cited = titles.flatMap((line) => line.match(/\bdecisions? [A-Z]\d+(?:, [A-Z]\d+)*/g) ?? []).join('\n')
  const listed = ELSEWHERE.map(([row]) => row).join('\n')
  expect(decisions.length).toBeGreaterThan(50)
  expect(decisions.filter((id) => !new RegExp(`\\b${id}\\b`).test(`${cited}\n${listed}`))).toEqual([])
})

it.each(ELSEWHERE)('%s has a test in %s', (_row, file, title) => {
  expect(linesOf(read(`../../${file}`)).some((line) => line.includes(title))).toBe(true)
})

// Decision O1, and whatever is added to it.
it.each(Object.keys((await describeApi()).openapi.paths as object))('%s is asked by this suite', (path) => {
  const asked = path.replace(/[/.]/g, '\\$&').replace(/\{\w+\}/g, '[^\\s/\'"`]+')
  expect(lines.some((line) => new RegExp(`['"\`}]${asked}['"\`?]`).test(line))).toBe(true)
})
