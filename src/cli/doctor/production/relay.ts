import { createHttp, nothing } from '@rfqctl/client/http'
import { duration } from '@rfqctl/lib/format'
import type { RelayEnvironment } from '@rfqctl/protocol/wire/environment'
import { isLoopback } from '@rfqctl/relay/config/rules'
import { publicClient } from '../../context/clients.ts'
import { relayUrl } from '../../context/targets.ts'
import { type DoctorContext, type Finding, good, unseen } from '../check.ts'
import { CLOCK_SLACK_MS, expectsRelay } from '../relay.ts'
import { productionValues, refusal } from './settings.ts'

const PASS_URL = 'pass the address that clients use: --url https://…'

/** Checks that clients reach the relay by TLS. */
export function checkTls(context: DoctorContext): Finding[] {
  if (!expectsRelay(context)) return [unseen('tls', 'how clients reach the relay: no --url is given', PASS_URL)]
  const url = relayUrl(context.cli, context.options)
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:') return [good('tls', 'clients reach the relay by https')]
  return isLoopback(hostname)
    ? [unseen('tls', `how clients reach the relay: ${url} is this machine`, PASS_URL)]
    : [refusal('tls', `${url} is plain HTTP`, 'terminate TLS in a proxy: docs/deploy')]
}

/** Checks that the running relay is ready, matches the settings, and agrees with this machine's clock. */
export async function checkProductionRelay(context: DoctorContext): Promise<Finding[]> {
  const { cli, options } = context
  if (!expectsRelay(context)) return [unseen('relay', 'none runs here, and no --url is given', PASS_URL)]
  const signal = cli.stop
  const url = relayUrl(cli, options)
  await createHttp({ url }).call('GET', '/readyz', { signal, decode: nothing })
  const client = publicClient(cli, options)
  const offMs = (await client.getTime({ signal })) - Date.now()
  const environment = await client.getEnvironment({ signal })
  return [
    good('relay', `${url} is ready`),
    ...(Math.abs(offMs) <= CLOCK_SLACK_MS ? [good('clock', 'the clocks of relay and machine agree')] : [skew(offMs)]),
    ...environmentFindings(context, environment),
    unseen('store', 'whether the relay runs with --memory, which keeps nothing'),
  ]
}

const skew = (offMs: number): Finding =>
  refusal(
    'clock',
    `the relay is ${duration(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'} this machine`,
    'set both clocks by NTP',
  )

/** Checks that the relay trades where the settings say, and is not a sandbox. */
function environmentFindings(context: DoctorContext, environment: RelayEnvironment): Finding[] {
  const { values } = productionValues(context)
  const { mode, sandbox, chainId, coreAddress, settlementAddress, stablecoinAddress } = environment
  if (mode === 'simulated') return [refusal('relay', 'it runs without a chain', 'start it without --no-chain')]
  const pairs = [
    ['CHAIN_ID', values.CHAIN_ID, chainId],
    ['CORE_ADDRESS', values.CORE_ADDRESS, coreAddress],
    ['SETTLEMENT_ADDRESS', values.SETTLEMENT_ADDRESS, settlementAddress],
    ['STABLECOIN_ADDRESS', values.STABLECOIN_ADDRESS, stablecoinAddress],
  ] as const
  return [
    ...pairs
      .filter(([, set, served]) => set !== null && set !== served)
      .map(([name, set, served]) =>
        refusal('relay', `it serves ${name} ${served}, not ${set}`, 'restart it with these settings'),
      ),
    ...(sandbox
      ? [refusal('relay', 'its chain is a sandbox: anyone moves its time', 'set RPC_URL and restart it')]
      : []),
  ]
}
