import type { Settings } from '../config/settings.ts'
import { isRunning } from '../lib/process.ts'
import type { Log } from '../relay/ports/runtime.ts'
import { removeSandbox, type Sandbox, writeSandbox } from './sandbox-file.ts'

/**
 * Leaves the sandbox for the other commands; that of another relay that runs is left in place. The returned function ends
 * it: what keeps nothing leaves no sandbox either.
 */
export function keepSandbox({
  settings: { dataDir, store, keys },
  sandbox,
  former,
  log,
}: {
  settings: Pick<Settings, 'dataDir' | 'store' | 'keys'>
  sandbox: Sandbox
  former: Sandbox | null
  log: Log
}): () => void {
  if (former !== null && former.pid !== sandbox.pid && isRunning(former.pid)) {
    log.warn('sandbox_left_to_another', { path: dataDir, url: former.url })
    return () => {}
  }
  writeSandbox(dataDir, withoutConfigured(sandbox, keys))
  return () => {
    if (store.kind === 'memory') removeSandbox(dataDir)
  }
}

/** A sandbox with its own secrets only: what was configured stays where the operator keeps it. */
function withoutConfigured(sandbox: Sandbox, { makers, operatorToken }: Settings['keys']): Sandbox {
  const configured = new Set(makers.map(({ apiKey }) => apiKey))
  const isConfigured = (key: string | null | undefined) => key !== null && key !== undefined && configured.has(key)
  return {
    ...sandbox,
    makers: sandbox.makers.map((maker) => (isConfigured(maker.apiKey) ? { ...maker, apiKey: null } : maker)),
    operatorToken: operatorToken === null ? sandbox.operatorToken : null,
  }
}
