import { PROTOCOL_VERSION } from '@rfqctl/protocol/wire/maker-messages'
import type { Credential, DescribedRoute } from '../route-docs.ts'
import { CHANNELS, type Channel } from './channels.ts'
import { describeField, exampleOf, HEADERS } from './describe-field.ts'
import { parameterOf } from './openapi.ts'
import { createSchemaComponents, type Json, type SchemaComponents } from './schemas.ts'
import { asyncApiSchemes, schemeRefs } from './security.ts'

const DESCRIPTION = `The event streams and the maker WebSocket of the relay. Streams are Server-Sent Events: the name of a
message is the \`event:\` field, its payload the \`data:\` field. What answers requests is in the OpenAPI document at
\`/openapi.json\`.`

/** Default address of a relay; a running one serves the address at which it was asked. */
const DEFAULT_ADDRESS: RelayAddress = { host: '127.0.0.1:8787', isSecure: false }

export type RelayAddress = { host: string; isSecure: boolean }

const SERVER_OF: Readonly<Record<Channel['kind'], string>> = { sse: 'http', websocket: 'ws' }

/** Parameters and credentials of a channel come from its route. */
export function createAsyncApi(routes: readonly DescribedRoute[]): Json {
  const components = createSchemaComponents()
  const routed = CHANNELS.map((channel) => ({ channel, route: routeOf(channel, routes) }))
  const credentials = new Set(
    routed.flatMap(({ route }): Credential[] => (route.docs.credential ? [route.docs.credential] : [])),
  )
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'rfqctl relay',
      version: `${PROTOCOL_VERSION}.0.0`,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: serversAt(DEFAULT_ADDRESS),
    channels: Object.fromEntries(routed.map(({ channel, route }) => [channel.name, channelOf(channel, route)])),
    operations: Object.assign({}, ...routed.map(({ channel, route }) => operationsOf(channel, route))),
    components: {
      messages: Object.assign({}, ...CHANNELS.map((channel) => messagesOf(channel, components))),
      securitySchemes: asyncApiSchemes(credentials),
      schemas: components.shared(),
    },
  }
}

export const serversAt = ({ host, isSecure }: RelayAddress): Json => ({
  http: { host, protocol: isSecure ? 'https' : 'http', description: 'Event streams.' },
  ws: { host, protocol: isSecure ? 'wss' : 'ws', description: 'The maker WebSocket.' },
})

function routeOf({ name, path }: Channel, routes: readonly DescribedRoute[]): DescribedRoute {
  const route = routes.find((one) => one.path === path)
  if (route === undefined) throw new Error(`the channel ${name} has no route`)
  return route
}

/** Keys of components contain no colon. */
const keyOf = (channel: Channel, name: string): string => `${channel.name}.${name.replace(':', '.')}`

function channelOf(channel: Channel, { params, docs }: DescribedRoute): Json {
  const names = [...Object.keys(channel.sent), ...Object.keys(channel.received)]
  const parameters = params.map((name) => [name, { description: describeField(parameterOf(name, docs), name) }])
  return {
    address: channel.path,
    title: channel.title,
    summary: `${docs.summary}.`,
    ...(docs.details === undefined ? {} : { description: docs.details }),
    servers: [{ $ref: `#/servers/${SERVER_OF[channel.kind]}` }],
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
    messages: Object.fromEntries(
      names.map((name) => [keyOf(channel, name), { $ref: `#/components/messages/${keyOf(channel, name)}` }]),
    ),
    ...(channel.kind === 'websocket' ? { bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } } } : {}),
  }
}

function operationsOf(channel: Channel, { docs, method }: DescribedRoute): Json {
  const operation = (action: 'send' | 'receive', messages: Channel['sent']) => ({
    action,
    title: channel.title,
    channel: { $ref: `#/channels/${channel.name}` },
    security: schemeRefs(docs.credential),
    ...(channel.kind === 'sse' ? { bindings: { http: { method, bindingVersion: '0.3.0' } } } : {}),
    messages: Object.keys(messages).map((name) => ({
      $ref: `#/channels/${channel.name}/messages/${keyOf(channel, name)}`,
    })),
  })
  return {
    [`${channel.name}.send`]: operation('send', channel.sent),
    ...(Object.keys(channel.received).length === 0
      ? {}
      : { [`${channel.name}.receive`]: operation('receive', channel.received) }),
  }
}

function messagesOf(channel: Channel, components: SchemaComponents): Json {
  const all = Object.entries({ ...channel.sent, ...channel.received })
  return Object.fromEntries(
    all.map(([name, { schema, when }]) => [
      keyOf(channel, name),
      {
        name,
        title: name,
        summary: when,
        contentType: 'application/json',
        ...(channel.kind === 'sse' ? { headers: fieldsOf(name, channel.positioned.includes(name)) } : {}),
        payload: components.of(schema),
        examples: [{ name, payload: exampleOf(schema, name) }],
      },
    ]),
  )
}

/** SSE fields of an event beside its data. */
const fieldsOf = (name: string, isPositioned: boolean): Json => ({
  type: 'object',
  required: isPositioned ? ['event', 'id'] : ['event'],
  properties: {
    event: { const: name },
    ...(isPositioned
      ? { id: { type: 'integer', minimum: 0, description: describeField(HEADERS['Last-Event-ID'], 'Last-Event-ID') } }
      : {}),
  },
})
