import type { Settings } from '../../config/settings.ts'
import { CliError } from '../cli-error.ts'

/** Refuses what the settings know but this version does not have, so that nobody believes to run on it. */
export function refuseUnbuilt({ bus, identity }: Settings): void {
  const unbuilt = [
    ...(bus.kind === 'redis' ? ['REDIS_URL: there is no Redis bus'] : []),
    ...(identity === null ? [] : ['IDP_ISSUER: there are no accounts']),
  ]
  if (unbuilt.length === 0) return
  throw new CliError('this version of rfqctl cannot do that yet', { code: 'not_built', why: unbuilt })
}
