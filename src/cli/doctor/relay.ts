import { createHttp, nothing } from '@rfqctl/client/http'
import { duration } from '@rfqctl/lib/format'
import { assertPortFree } from '@rfqctl/relay/app/assert-port-free'
import { isProduction } from '@rfqctl/relay/config/environment'
import { publicClient } from '../context/clients.ts'
import { relayUrl, settingValues } from '../context/targets.ts'
import { accountClient, isSignedIn } from '../login/session.ts'
import { type DoctorContext, type Finding, good, warning } from './check.ts'

/** Milliseconds. With a larger difference, the deadlines shown are wrong. */
export const CLOCK_SLACK_MS = 2_000

/** True where a relay runs here, or where one was named. */
export const expectsRelay = ({ cli, options, sandbox }: DoctorContext): boolean =>
  sandbox !== null || options.url !== undefined || Boolean(cli.environment.RFQCTL_URL)

/** `serve` must be able to listen there, unless it does already. */
export async function checkPort({ cli, sandbox }: DoctorContext): Promise<Finding[]> {
  if (sandbox !== null) return [good('port', `the relay of this directory listens at ${new URL(sandbox.url).host}`)]
  const { HOST: host, PORT: port } = settingValues(cli)
  if (port === 0) return [good('port', 'a free port will be picked')]
  await assertPortFree({ host, port })
  return [good('port', `${port} of ${host} is free`)]
}

/** Checks that the relay answers, is ready, and agrees with this machine's clock. */
export async function checkRelay(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  const start = isProduction(cli.environment) ? 'rfqctl serve' : 'rfqctl up'
  if (!expectsRelay(context)) return [warning('relay', 'no relay runs here, and no --url is given', start)]
  const signal = cli.stop
  const url = relayUrl(cli, options)
  const client = publicClient(cli, options)
  const { mode } = await client.getRelayInfo({ signal })
  await createHttp({ url }).call('GET', '/readyz', { signal, decode: nothing })
  const offMs = (await client.getTime({ signal })) - Date.now()
  const findings = [good('relay', `${url} is ready, ${mode}`)]
  if (Math.abs(offMs) <= CLOCK_SLACK_MS) return findings
  const found = `the relay is ${duration(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'} this machine`
  return [...findings, warning('clock', found, 'set both clocks by NTP')]
}

/** Checks that the relay knows the maker key that is set. */
export async function checkApiKey(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  const apiKey = cli.environment.RFQCTL_API_KEY
  if (!apiKey || !expectsRelay(context)) return []
  const http = createHttp({ url: relayUrl(cli, options), headers: { 'x-api-key': apiKey } })
  await http.call('GET', '/v1/mm/quotes', { signal: cli.stop, decode: nothing })
  return [good('maker key', 'the relay takes RFQCTL_API_KEY')]
}

/** Checks that the token of `login` is still valid. */
export async function checkLogin(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  if (!expectsRelay(context) || !isSignedIn(cli, options)) return []
  const { makerId } = await accountClient(cli, options).getProfile({ signal: cli.stop })
  return [good('login', `signed in as maker ${makerId}`)]
}
