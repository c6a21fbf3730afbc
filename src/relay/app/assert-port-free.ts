import { createServer } from 'node:net'
import { CliError } from '@rfqctl/lib/cli-error'
import { EXIT } from '@rfqctl/lib/exit'

type Endpoint = { host: string; port: number }

/** Throws when nothing can listen at the endpoint, before a chain is started for it. */
export async function assertPortFree(endpoint: Endpoint): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(endpoint, resolve)
    })
  } catch (fault) {
    throw explainListen(endpoint, fault)
  }
  await new Promise((resolve) => probe.close(resolve))
}

/** Returns a `CliError` for a known system error, and any other fault unchanged. */
export function explainListen({ host, port }: Endpoint, fault: unknown): unknown {
  const reasons: Record<string, { message: string; code: string; exitCode: number }> = {
    EADDRINUSE: { message: `port ${port} of ${host} is in use`, code: 'in_use', exitCode: EXIT.inUse },
    EACCES: { message: `you may not open port ${port}`, code: 'port_denied', exitCode: EXIT.usage },
    EADDRNOTAVAIL: { message: `${host} is not an address of this machine`, code: 'bad_host', exitCode: EXIT.usage },
    ENOTFOUND: { message: `${host} is not an address of this machine`, code: 'bad_host', exitCode: EXIT.usage },
  }
  const reason = reasons[(fault as NodeJS.ErrnoException).code ?? '']
  if (reason === undefined) return fault
  return new CliError(reason.message, {
    ...reason,
    hint: 'choose another port; --port 0 picks a free one',
    cause: fault,
  })
}
