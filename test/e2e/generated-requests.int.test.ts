import { once } from 'node:events'
import { Agent } from 'node:http'
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createDevAccounts } from '../../src/onchain/devnet/accounts.ts'
import { type RunningApp, startApp } from '../../src/relay/app/start-app.ts'
import { loadSettings } from '../../src/relay/config/settings.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { type ApiDocuments, createJudge, type Judge } from '../support/api/judge.ts'
import { createLife, type Life } from '../support/api/life.ts'
import { requestsOf } from '../support/api/requests.ts'
import { send } from '../support/api/send.ts'
import { startSigningMaker } from '../support/api/signing-maker.ts'

/** CI sends more. */
const REQUESTS = process.env.CI ? 6_000 : 3_000

/** How many makers talk nonsense on a socket, one after the other. */
const SOCKETS = process.env.CI ? 200 : 100

/** How many are on their way at once, on average. */
const BATCH = 20

/** Batches of requests that have not succeeded so far. */
const MORE_TURNS = 40

/** What a relay without a chain answers with 503 when it is well. */
const WELL = ['faucet_not_configured', 'no_maker_confirmed']

/** Cannot succeed here, or only by luck: no faucet, nothing expired, no socket by plain HTTP, no signature of the order, and the maker signs first. */
const SELDOM = [
  'drip',
  'prepareSettlement',
  'resolveReview',
  'openMakerSocket',
  'sealQuote',
  'confirmQuote',
  'declineQuote',
]

/** What a maker may say on its socket, by the documents. */
const SAID = [
  'auth',
  'ping',
  'subscribe',
  'unsubscribe',
  'quote',
  'quotes',
  'quote:withdraw',
  'quote:confirm',
  'quote:decline',
]

type Requested = ReturnType<typeof requestsOf> extends fc.Arbitrary<infer One> ? One : never

const API_KEY = 'key-of-maker'
const dataDir = newFolder()
const agent = new Agent({ keepAlive: true, maxSockets: BATCH })
let app: RunningApp
let documents: ApiDocuments
let judge: Judge
let life: Life
let accessToken: string

beforeAll(async () => {
  const { settings } = loadSettings({
    flags: { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
    modes: { memory: true, noChain: true, chainPort: null },
    environment: {
      // Not a name of the examples: operators' requests, which block makers, are generated too.
      MAKER_API_KEYS: JSON.stringify([{ apiKey: API_KEY, makerId: 'quoting-all-along' }]),
      // One address asks for everything here.
      MAX_API_KEYS_PER_USER: '100000',
      REQUEST_RATE_PER_ADDRESS: '0',
      MAX_OPEN_REQUESTS: '0',
      MAX_OPEN_REQUESTS_PER_ADDRESS: '0',
      MAKER_CONFIRMATION_MS: '50',
      MAKER_OFFLINE_GRACE_MS: '1',
    },
    cwd: dataDir,
  })
  if (settings === null) throw new Error('the settings have a fault')
  app = await startApp({ settings, stop: new AbortController().signal })
  const read = async (name: string) => (await (await fetch(`${app.url}/${name}.json`)).json()) as object
  documents = { openapi: await read('openapi'), asyncapi: await read('asyncapi') }
  judge = createJudge(documents)
  accessToken = await newAccessToken()
  life = await createLife(app.url, documents.openapi, { apiKey: API_KEY, accessToken })
})

afterAll(async () => {
  agent.destroy()
  await app.close()
  removeFolder(dataDir)
})

async function newAccessToken(): Promise<string> {
  const { identityUrl, operatorToken } = app.sandbox
  const headers = { authorization: `Bearer ${operatorToken}` }
  const answer = await fetch(`${identityUrl}/token`, { method: 'POST', headers, body: JSON.stringify({ name: 'ada' }) })
  return ((await answer.json()) as { access_token: string }).access_token
}

it('no request that the documents let one think of breaks the relay, or is answered other than documented (fault A19)', {
  timeout: 600_000,
}, async () => {
  const { url, wsUrl } = app
  const account = privateKeyToAccount(createDevAccounts().resolutionSigner.privateKey)
  const complaints: string[] = []
  const onMessage = (message: unknown) => void complaints.push(...judge.message('/maker/v1/ws', message))
  const stopMaker = startSigningMaker({ url, wsUrl, apiKey: API_KEY, account, onMessage })
  const requests = requestsOf(documents.openapi, {
    texts: [...life.texts, account.address, 'maker'],
    credentials: {
      makerKey: [API_KEY],
      makerKeyInQuery: [API_KEY],
      accessToken: [accessToken],
      operatorToken: [app.sandbox.operatorToken],
    },
  })
  const asked = new Set<string>()
  const succeeded = new Set<string>()
  let sent = 0

  async function sendAll(batch: readonly Requested[]): Promise<void> {
    await life.renew()
    const found = await Promise.all(
      batch.map(async ({ operationId, ...request }) => {
        const alive = JSON.parse(life.enliven(JSON.stringify({ operationId, ...request })))
        const answer = await send(url, agent, alive)
        sent += 1
        asked.add(operationId)
        if (answer.status < 400) succeeded.add(operationId)
        const isBroken = answer.status >= 500 && !WELL.includes(JSON.parse(answer.text).code)
        return [...judge.answer(answer), ...(isBroken ? [`${operationId}: ${answer.text}`] : [])]
      }),
    )
    expect([...found.flat(), ...complaints]).toEqual([])
  }

  await fc.assert(fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 2 * BATCH, size: 'max' }), sendAll), {
    numRuns: REQUESTS / BATCH,
  })
  expect(sent).toBeGreaterThan(REQUESTS * 0.7)
  // Requests that never succeed would prove little, and some need luck: these have more turns.
  const isMissing = ({ operationId }: { operationId: string }) =>
    !succeeded.has(operationId) && !SELDOM.includes(operationId)
  const missing = () => [...asked].filter((operationId) => isMissing({ operationId }))
  for (let turn = 0; turn < MORE_TURNS && missing().length > 0; turn += 1)
    await sendAll(fc.sample(requests.filter(isMissing), BATCH))
  stopMaker()
  expect(missing()).toEqual([])
})

it('nor does anything that a maker says on its socket', { timeout: 600_000 }, async () => {
  const said = fc.oneof(
    fc.constantFrom(...SAID.map((name) => JSON.stringify(exampleOf(name)))),
    fc.jsonValue().map((value) => JSON.stringify({ type: 'auth', apiKey: value })),
    fc
      .record({ type: fc.constantFrom(...SAID, 'quote:accepted'), ref: fc.string(), junk: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('', `?apiKey=${API_KEY}`),
      fc.array(said, { maxLength: 10 }),
      async (query, words) => {
        const socket = new WebSocket(`${app.wsUrl}/maker/v1/ws${query}`)
        const complaints: string[] = []
        socket.on('message', (data) => complaints.push(...judge.message('/maker/v1/ws', JSON.parse(String(data)))))
        await once(socket, 'open')
        const closed = once(socket, 'close')
        for (const word of words) socket.send(word)
        // The last word is heard when its ping is answered, or the socket was closed before that.
        socket.ping()
        await Promise.race([once(socket, 'pong'), closed])
        socket.close()
        const [code] = await closed
        expect([1005, 4001]).toContain(code)
        expect(complaints).toEqual([])
      },
    ),
    { numRuns: SOCKETS },
  )
})

/** The documents' own example of a message. */
function exampleOf(name: string): object {
  const { components } = documents.asyncapi as {
    components: { messages: Record<string, { examples: { payload: object }[] }> }
  }
  return components.messages[`makerSocket.${name.replace(':', '.')}`]?.examples[0]?.payload ?? {}
}
