import type { OperationDoc, SecuritySchemeDoc } from './documents.ts'

type Operation = { path: string; method: string; operation: OperationDoc }

/** Uses the document's examples; `$RELAY` is the relay, `$KEY` the credential. */
export function curlOf(
  { path, method, operation }: Operation,
  schemes: Readonly<Record<string, SecuritySchemeDoc>>,
): string {
  const { security, parameters = [], requestBody, responses } = operation
  const isStream = 'text/event-stream' in (responses[200]?.content ?? {})
  const [scheme] = security.flatMap((one) => Object.keys(one))
  const body = requestBody?.content['application/json']?.example
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
  const headers = [
    ...(scheme === undefined ? [] : [credentialHeader(schemes[scheme])]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
  ]
  const words = [
    isStream ? 'curl -N' : 'curl',
    ...(method === 'get' || (method === 'post' && body !== undefined) ? [] : [`-X ${method.toUpperCase()}`]),
    ...headers,
    `"$RELAY${shellPath(path)}${query === '' ? '' : `?${query}`}"`,
  ]
  return `${words.join(' ')}${body === undefined ? '' : ` \\\n  -d '${JSON.stringify(body)}'`}`
}

const credentialHeader = (scheme: SecuritySchemeDoc | undefined): string =>
  scheme?.in === 'header' ? `-H "${scheme.name}: $KEY"` : '-H "Authorization: Bearer $KEY"'

/** `/v1/series/{seriesId}` becomes `/v1/series/$SERIES_ID`. */
export const shellPath = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`)
