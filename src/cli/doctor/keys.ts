import { createHttp, nothing } from '../../client/http.ts'
import { relayUrl } from '../context/targets.ts'
import { accountClient, isSignedIn } from '../login/session.ts'
import { plural } from '../terminal/format.ts'
import { listKept } from '../wallet/keystores.ts'
import { type Finding, good } from './finding.ts'
import type { Patient } from './patient.ts'
import { expectsRelay } from './relay.ts'

/** Which wallets are kept here; each has to be a keystore. */
export function checkWallets({ dataDir }: Patient): Finding[] {
  const kept = listKept(dataDir)
  const names = kept.length === 0 ? '' : `: ${kept.map(({ name }) => name).join(', ')}`
  return [good('wallets', `${plural(kept.length, 'wallet')} of your own${names}`)]
}

/** Whether the relay knows the maker key that is set. */
export async function checkApiKey(patient: Patient): Promise<Finding[]> {
  const { cli, options } = patient
  const apiKey = cli.environment.RFQCTL_API_KEY
  if (!apiKey || !expectsRelay(patient)) return []
  const http = createHttp({ url: relayUrl(cli, options), headers: { 'x-api-key': apiKey } })
  await http.call('GET', '/v1/mm/quotes', { signal: cli.stop, decode: nothing })
  return [good('maker key', 'the relay takes RFQCTL_API_KEY')]
}

/** Whether the token of `login` is still good. */
export async function checkLogin(patient: Patient): Promise<Finding[]> {
  const { cli, options } = patient
  if (!expectsRelay(patient) || !isSignedIn(cli, options)) return []
  const { makerId } = await accountClient(cli, options).getProfile({ signal: cli.stop })
  return [good('login', `signed in as maker ${makerId}`)]
}
