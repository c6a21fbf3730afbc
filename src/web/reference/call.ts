import { prettyJson } from './answer.ts'
import type { Operation, Scheme } from './documents.ts'

/** Typed values: parameters by place and name (`path id`), the body, credentials by scheme. */
export type Filled = {
  parameters: Readonly<Record<string, string>>
  body: string
  credentials: Readonly<Record<string, string>>
}

export type Call = {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | null
}

/** A path and a header can have parameters of the same name. */
export const keyOf = (parameter: { in: string; name: string }): string => `${parameter.in} ${parameter.name}`

export function callOf(operation: Operation, filled: Filled): { call: Call; missing: readonly string[] } {
  const { method, path, parameters, body, schemes } = operation
  const typedFor = (parameter: { in: string; name: string }) => filled.parameters[keyOf(parameter)]?.trim() ?? ''
  const given = (place: string) => parameters.filter((one) => one.in === place && typedFor(one) !== '')
  const query = new URLSearchParams(given('query').map((one): [string, string] => [one.name, typedFor(one)])).toString()
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(typedFor({ in: 'path', name })),
  )
  const headers = [
    ...given('header').map((one): [string, string] => [one.name, typedFor(one)]),
    ...schemes.flatMap((scheme): [string, string][] => {
      const secret = filled.credentials[scheme.id]?.trim() ?? ''
      return secret === '' ? [] : [headerOf(scheme, secret)]
    }),
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] satisfies [string, string]]),
  ]
  return {
    call: {
      method,
      path: `${filledPath}${query === '' ? '' : `?${query}`}`,
      headers: Object.fromEntries(headers),
      body: body === undefined ? null : filled.body,
    },
    missing: parameters.filter((one) => one.required && typedFor(one) === '').map(({ name }) => name),
  }
}

const headerOf = ({ in: place, name = '' }: Scheme, secret: string): [string, string] =>
  place === 'header' ? [name, secret] : ['Authorization', `Bearer ${secret}`]

/** Secrets appear as `$KEY` or `$TAKER_SECRET`, so that the line can be shown. */
export function curlOf(operation: Operation, filled: Filled, origin: string): string {
  const masked = {
    ...filled,
    parameters: mapValues(filled.parameters, (value, key) =>
      /secret/i.test(key) && value !== '' ? '$TAKER_SECRET' : value,
    ),
    credentials: mapValues(filled.credentials, (value) => (value === '' ? '' : '$KEY')),
  }
  const { call } = callOf(operation, masked)
  const isDefault = call.method === (call.body === null ? 'GET' : 'POST')
  const words = [
    operation.isStream ? 'curl -N' : 'curl',
    ...(isDefault ? [] : [`-X ${call.method}`]),
    ...Object.entries(call.headers).map(
      ([name, value]) =>
        `-H ${value.includes('$') ? doubleQuoted(`${name}: ${value}`) : singleQuoted(`${name}: ${value}`)}`,
    ),
    singleQuoted(`${origin}${call.path}`),
  ]
  return `${words.join(' ')}${call.body === null ? '' : ` \\\n  -d ${singleQuoted(prettyJson(call.body, 0))}`}`
}

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The shell expands names after `$`, and nothing else in a value. */
const doubleQuoted = (text: string): string => `"${text.replaceAll(/["\\`]/g, '\\$&')}"`

const mapValues = (values: Readonly<Record<string, string>>, change: (value: string, key: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
