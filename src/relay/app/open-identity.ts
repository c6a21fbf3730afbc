import { join } from 'node:path'
import type { CleanupStack } from '@rfqctl/lib/cleanup-stack'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Settings } from '../config/settings.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import type { Identity } from '../core/ports/sources.ts'

/** `identityUrl` issues development tokens; null where nothing does. */
export type OpenIdentity = { identity: Identity | null; identityUrl: string | null }

type Parts = {
  settings: Settings
  /** Lets its holder get a development token for any name. */
  secret: string
  tools: { clock: Clock; log: Log }
  cleanup: CleanupStack
}

/** Loads the JWT modules only when they are used. */
export async function openIdentity(parts: Parts): Promise<OpenIdentity> {
  const { identity } = parts.settings
  if (identity === null) return { identity: null, identityUrl: null }
  if (identity.kind === 'development') return openDevelopment(parts)
  const { createJwtIdentity } = await import('../adapters/identity/jwt.ts')
  return { identity: createJwtIdentity({ ...identity, ...parts.tools }), identityUrl: null }
}

async function openDevelopment({ settings, secret, tools, cleanup }: Parts): Promise<OpenIdentity> {
  const { newIssuerKey, startIdentityProvider } = await import('../adapters/identity/development-provider.ts')
  const { createJwtIdentity } = await import('../adapters/identity/jwt.ts')
  const path = join(settings.dataDir, 'identity.json')
  const isKept = settings.store.kind !== 'memory'
  const kept = isKept ? readPrivateJson<{ issuerKey: Awaited<ReturnType<typeof newIssuerKey>> }>(path) : null
  const issuerKey = kept?.issuerKey ?? (await newIssuerKey())
  if (isKept && kept === null) writePrivateJson(path, { issuerKey })
  const { close, url, ...checks } = await startIdentityProvider({ issuerKey, secret, now: tools.clock.now })
  cleanup.defer(close)
  return { identity: createJwtIdentity({ ...checks, ...tools }), identityUrl: url }
}
