import { serversAt } from '@rfqctl/relay/server/openapi/asyncapi'
import { describeApi } from '@rfqctl/relay/server/openapi/describe'
import type { Run } from '../cli.ts'
import { relayUrl } from '../context/targets.ts'

/** Prints a document of the API, as the relay that commands ask would serve it; it is not asked. */
export const run: Run<Record<string, never>, ['openapi' | 'asyncapi']> = async (cli, _, name) => {
  const described = (await describeApi())[name]
  const { host, protocol } = new URL(relayUrl(cli, {}))
  const document =
    name === 'openapi' ? described : { ...described, servers: serversAt({ host, isSecure: protocol === 'https:' }) }
  cli.out.print(document, JSON.stringify(document, null, 2))
}
