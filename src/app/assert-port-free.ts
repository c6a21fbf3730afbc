import { createServer } from 'node:net'
import { CliError } from '../lib/cli-error.ts'
import { EXIT } from '../lib/exit.ts'

/** Where a relay is to listen. */
type Place = { host: string; port: number }

/** Refuses a place where nothing can listen, before a chain is started for it. */
export async function assertPortFree(place: Place): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(place, resolve)
    })
  } catch (fault) {
    throw explainListen(place, fault)
  }
  await new Promise((resolve) => probe.close(resolve))
}

/** Why nothing can listen at a place, in a sentence; what is not known stays as it is. */
export function explainListen({ host, port }: Place, fault: unknown): unknown {
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
