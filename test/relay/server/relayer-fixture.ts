import { onTestFinished } from 'vitest'
import type { GaslessFill } from '../../../src/protocol/domain/gasless-fill.ts'
import { encodeGaslessFill } from '../../../src/protocol/wire/gasless-fill.ts'
import type { RelayerSettings } from '../../../src/relay/relayer/ports.ts'
import {
  createRelayerServer,
  type RelayerServer,
  type RelayerServerSettings,
} from '../../../src/relay/server/relayer-server.ts'
import { type Answer, type CallInput, call } from '../../kit/http.ts'
import { createTestRelayer, fillOf, type TestRelayer } from '../relayer/fixture.ts'

/** The server of a relayer on a free port, over a chain that a test sets. */
export type TestRelayerServer = TestRelayer & {
  server: RelayerServer
  url: string
  call: (method: string, path: string, input?: CallInput) => Promise<Answer>
  submit: (fill?: GaslessFill) => Promise<Answer>
}

const SERVER_SETTINGS: RelayerServerSettings = {
  software: '1.2.3',
  trustProxy: false,
  corsOrigins: '*',
  maxConnections: null,
  maxConnectionsPerAddress: null,
  keepAliveMs: 10_000,
  requestRate: { perS: 2, burst: 200 },
}

/** Starts one that ends with its test. */
export async function startRelayerServer(
  settings: Partial<RelayerSettings> = {},
  serverSettings: Partial<RelayerServerSettings> = {},
): Promise<TestRelayerServer> {
  const test = createTestRelayer(settings)
  const server = createRelayerServer({
    ...test,
    meter: { answersOf: () => () => {} },
    metrics: async () => ({ contentType: 'text/plain', text: JSON.stringify(test.counted) }),
    settings: { ...SERVER_SETTINGS, ...serverSettings },
  })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    const closed = server.close()
    for (const end of test.chain.pending) end({ kind: 'unmined' })
    await closed
  })
  const ask: TestRelayerServer['call'] = (method, path, input) => call(method, `${url}${path}`, input)
  return {
    ...test,
    server,
    url,
    call: ask,
    submit: (fill = fillOf()) => ask('POST', '/v1/fills', { body: encodeGaslessFill(fill) }),
  }
}
