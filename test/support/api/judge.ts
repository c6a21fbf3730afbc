import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { closeSchemas } from './close-schemas.ts'

export type ApiDocuments = { openapi: object; asyncapi: object }

/** An answer as it came over the wire; `path` may have a query. */
export type SeenAnswer = { method: string; path: string; status: number; contentType: string | null; text: string }

/** Compares what is seen with what the documents say. Each answers with complaints, none when all is well. */
export type Judge = {
  knows: (method: string, path: string) => boolean
  answer: (seen: SeenAnswer) => string[]
  event: (path: string, seen: { event: string; id: string | null; data: unknown }) => string[]
  message: (path: string, seen: unknown) => string[]
}

type Operation = { responses: Record<string, { content?: Record<string, object> }> }
type OpenApi = { paths: Record<string, Record<string, Operation>> }
type AsyncApi = {
  channels: Record<string, { address: string; messages: Record<string, object> }>
  components: { messages: Record<string, { name: string }> }
}

/** A judge by some documents, with a validator that is not the relay's own. */
export function createJudge(documents: ApiDocuments): Judge {
  const openapi = documents.openapi as OpenApi
  const asyncapi = documents.asyncapi as AsyncApi
  const ajv = new Ajv2020({ strict: false, formats: { password: true } })
  addFormats.default(ajv)
  ajv.addSchema(closeSchemas(documents.openapi), 'openapi')
  ajv.addSchema(closeSchemas(documents.asyncapi), 'asyncapi')
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.keys(openapi.paths).map((path) => ({ path, pattern: patternOf(path) }))

  function faultsOf(pointer: string, value: unknown): string[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: pointer })
    compiled.set(pointer, validate)
    return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: '' })]
  }

  /** The documented path that a request meets; a literal one comes before one with parameters. */
  function routeOf(path: string): string | undefined {
    const bare = path.split('?')[0] as string
    return bare in openapi.paths ? bare : paths.find(({ pattern }) => pattern.test(bare))?.path
  }

  const operationOf = (method: string, route: string | undefined): Operation | undefined =>
    route === undefined ? undefined : openapi.paths[route]?.[method.toLowerCase()]

  function judgeAnswer({ method, path, status, contentType, text }: SeenAnswer): string[] {
    const route = routeOf(path)
    const operation = operationOf(method, route)
    if (route === undefined || operation === undefined) return judgeOutside({ method, status, text })
    const response = operation.responses[status]
    if (response === undefined) return [`the status ${status} is not documented: ${text.slice(0, 200)}`]
    const { content } = response
    if (content === undefined) return text === '' ? [] : ['a body is not documented']
    const media = contentType?.split(';')[0]?.trim() ?? 'nothing'
    // A stream that is asked for by its media type is a channel of the other document.
    const isChannel = Object.values(asyncapi.channels).some(({ address }) => address === route)
    if (media === 'text/event-stream' && isChannel) return []
    if (content[media] === undefined) return [`the content type ${media} is not documented`]
    if (media !== 'application/json') return []
    const pointer = ['openapi#', 'paths', route, method.toLowerCase(), 'responses', status, 'content', media, 'schema']
    return faultsOf(pointer.map(escapePointer).join('/'), JSON.parse(text))
  }

  /** What no route takes: there is nothing there, or not with that method. */
  function judgeOutside({ method, status, text }: Pick<SeenAnswer, 'method' | 'status' | 'text'>): string[] {
    const expected = method === 'OPTIONS' ? [204, 404, 405, 503] : [404, 405, 503]
    if (!expected.includes(status)) return [`the status ${status} of what is not documented`]
    return text === '' ? [] : faultsOf('openapi#/components/schemas/Failure', JSON.parse(text))
  }

  function judgeMessage(path: string, name: string, parts: Record<string, unknown>): string[] {
    const bare = path.split('?')[0] as string
    const channel = Object.values(asyncapi.channels).find(({ address }) => patternOf(address).test(bare))
    const keys = Object.keys(channel?.messages ?? {})
    const key = keys.find((one) => asyncapi.components.messages[one]?.name === name)
    if (key === undefined) return [`${name} is not documented`]
    return Object.entries(parts).flatMap(([part, value]) =>
      faultsOf(`asyncapi#/components/messages/${escapePointer(key)}/${part}`, value),
    )
  }

  return {
    knows: (method, path) => operationOf(method, routeOf(path)) !== undefined,
    answer: (seen) => judgeAnswer(seen).map((fault) => `${seen.method} ${seen.path} ${seen.status}: ${fault}`),
    event: (path, { event, id, data }) => {
      const headers = { event, ...(id === null ? {} : { id: Number(id) }) }
      return judgeMessage(path, event, { payload: data, headers }).map((fault) => `${path} ${event}: ${fault}`)
    },
    message: (path, seen) => {
      const name = String((seen as { type?: unknown }).type)
      return judgeMessage(path, name, { payload: seen }).map((fault) => `${path} ${name}: ${fault}`)
    },
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^/]+\}/g, '[^/]+')}$`)

/** A JSON pointer within a URI fragment. */
const escapePointer = (part: string | number): string =>
  typeof part === 'string' && part.endsWith('#')
    ? part
    : encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
