import { serversAt } from '@rfqctl/relay/server/openapi/asyncapi'
import { describeApi } from '@rfqctl/relay/server/openapi/describe'
import type { Run } from '../cli.ts'
import { relayUrl } from '../context/targets.ts'

/** The relay is not asked: the document is generated here, with the relay's address in it. */
export const run: Run<Record<string, never>, ['openapi' | 'asyncapi']> = async (cli, _, name) => {
  const described = (await describeApi())[name]
  const { host, protocol } = new URL(relayUrl(cli, {}))
  const document =
    name === 'openapi' ? described : { ...described, servers: serversAt({ host, isSecure: protocol === 'https:' }) }
  cli.out.print(document, JSON.stringify(document, null, 2))
}
