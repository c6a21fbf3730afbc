import { randomUUID } from 'node:crypto'

type Media = { example: object; schema: object }
type Operation = {
  requestBody: { content: Record<string, Media> }
  responses: Record<string, { content: Record<string, Media> }>
}

/** What is there when generated requests arrive, made by the documents' own examples. */
export type Life = {
  /** Opens a request, has it quoted and makes a maker key. */
  renew: () => Promise<void>
  /** Puts what is alive now in the place of what stands in the examples. */
  enliven: (text: string) => string
  /** Texts that mean something in the examples. */
  texts: readonly string[]
}

/** The life around generated requests, at the relay of `url`. */
export async function createLife(
  url: string,
  openapi: object,
  { apiKey, accessToken }: { apiKey: string; accessToken: string },
): Promise<Life> {
  const { paths } = openapi as { paths: Record<string, Record<string, Operation>> }
  let alive: readonly (readonly [example: string, alive: string])[] = []

  /** Posts the example of a route, and tells its documented answer and the real one. */
  async function post(path: string, change: object, headers: Record<string, string>) {
    const operation = paths[path]?.post
    if (operation === undefined) throw new Error(`POST ${path} is not documented`)
    const { requestBody, responses } = operation
    const body = { ...(requestBody.content['application/json']?.example ?? {}), ...change }
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const answer = await fetch(`${url}${path}`, init)
    if (answer.status !== 200) throw new Error(`the example of ${path} was refused: ${await answer.text()}`)
    const real = (await answer.json()) as Record<string, unknown>
    return { example: responses[200]?.content['application/json']?.example as Record<string, unknown>, real }
  }

  /** What generated requests had the relay hold for the maker would refuse the example of a quote. */
  async function turnProtectionsOff(): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    await fetch(`${url}/v1/mm/protections`, { method: 'PUT', headers, body: '{}' })
    await fetch(`${url}/v1/mm/protections/reset`, { method: 'POST', headers: { 'x-api-key': apiKey } })
  }

  async function renew(): Promise<void> {
    await turnProtectionsOff()
    const opened = await post('/quote-requests', { locked: false, wallet: null, clientRequestId: randomUUID() }, {})
    const { requestId } = opened.real
    const quoted = await post('/v1/mm/quotes', { requestId }, { 'x-api-key': apiKey })
    // The account has had keys, and with them its makerId.
    const made = await post('/v1/user/api-keys', { makerId: null }, { authorization: `Bearer ${accessToken}` })
    const listed = await (await fetch(`${url}/v1/series`)).json()
    const { series } = listed as { series: { seriesId: string; yesClobTokenId: string }[] }
    alive = [
      ...['requestId', 'takerSecret'].map((name) => pair(opened.example[name], opened.real[name])),
      pair(opened.example.seriesId, series[0]?.seriesId),
      pair(`ClobTokenId=${YES_TOKEN}`, `ClobTokenId=${series[0]?.yesClobTokenId}`),
      pair(quoted.example.quoteId, quoted.real.quoteId),
      pair(idOf(made.example.apiKey), idOf(made.real.apiKey)),
    ]
  }

  await renew()
  return {
    renew,
    enliven: (text) => alive.reduce((all, [example, one]) => all.replaceAll(example, one), text),
    texts: alive.map(([example]) => example),
  }
}

/** The YES token of the examples. */
const YES_TOKEN = '123456789'

const pair = (example: unknown, alive: unknown) => [String(example), String(alive)] as const

const idOf = (record: unknown): unknown => (record as { id: string }).id
