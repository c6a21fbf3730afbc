import type { Settings } from '../../config/settings.ts'
import { CliError } from '../cli-error.ts'

/** Refuses what the settings know but this version does not have, so that nobody believes to run on it. */
export function refuseUnbuilt({ bus }: Settings): void {
  if (bus.kind !== 'redis') return
  const why = ['REDIS_URL: there is no Redis bus']
  throw new CliError('this version of rfqctl cannot do that yet', { code: 'not_built', why })
}
