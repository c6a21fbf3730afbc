import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { accountOf } from '@rfqctl/client/from-text'
import { EXIT } from '@rfqctl/lib/exit'
import { duration } from '@rfqctl/lib/format'
import { LIVE_TWAP, type SettingName, type Values } from '@rfqctl/relay/config/definitions'
import { isProduction } from '@rfqctl/relay/config/environment'
import { isLoopback } from '@rfqctl/relay/config/rules'
import { publicAddresses } from '../../context/account.ts'
import { loadServeSettings } from '../../serve/options.ts'
import { type DoctorContext, type Finding, fault, good, warning } from '../check.ts'

export const refusal = (check: string, found: string, fix: string): Finding => fault(check, found, fix, EXIT.refused)

/** Values as in production, whatever `NODE_ENV` is here. */
export function productionValues({ cli, options: { dataDir } }: DoctorContext) {
  const { cwd, environment } = cli
  const production = { cwd, environment: { ...environment, NODE_ENV: 'production' } }
  return loadServeSettings(production, dataDir === undefined ? {} : { dataDir })
}

/** Checks that a relay in production starts with the settings, and what they leave open. */
export function checkProductionSettings(context: DoctorContext): Finding[] {
  const { values, faults, warnings } = productionValues(context)
  const view = 'rfqctl config view --origin'
  const found = [
    ...(isProduction(context.cli.environment)
      ? []
      : [refusal('settings', 'NODE_ENV is not production', 'set NODE_ENV=production for the relay, and here')]),
    ...faults.map((text) => fault('settings', text, view, EXIT.usage)),
    ...warnings.map((text) => warning('settings', text, view)),
    ...sourceFindings(values),
    ...averageFindings(values),
    ...keyFindings(values),
    ...proxyFindings(values),
    ...plainHttpFindings(values),
    ...quotaFindings(values),
    ...(values.HEAD_STALE_MS === 0
      ? [refusal('head', 'commits continue however old the head of the chain is', 'set HEAD_STALE_MS, such as 60000')]
      : []),
    ...(values.COMMIT_PROOF === 'required'
      ? [
          warning(
            'proof',
            'clients that know the specification alone, and wallets that cannot sign EIP-712, cannot trade',
            'COMMIT_PROOF=optional lets them in',
          ),
        ]
      : []),
    ...(values.WEB === 'on'
      ? [
          warning(
            'pages',
            'everyone gets the web pages: wallets sign what they ask for',
            'keep TLS in front, or WEB=off',
          ),
        ]
      : []),
  ]
  return found.length > 0 ? found : [good('settings', 'a relay in production starts with them')]
}

const sourceFindings = ({ ALLOW_FIXTURES }: Values): Finding[] =>
  ALLOW_FIXTURES
    ? [refusal('sources', 'ALLOW_FIXTURES lets made-up prices settle', 'set MARKETS_URL and PRICE_HISTORY_URL instead')]
    : []

/**
 * Refuses settings with which one trade, or a gap in the prices, decides the payoff. Live sources have safe defaults.
 */
function averageFindings({ TWAP_MIN_POINTS, TWAP_MAX_GAP_S, SETTLE_LAG_MS }: Values): Finding[] {
  return [
    ...(TWAP_MIN_POINTS === 1
      ? [
          refusal(
            'average',
            'one price decides a settlement: TWAP_MIN_POINTS is 1',
            `set TWAP_MIN_POINTS to ${LIVE_TWAP.minPoints}`,
          ),
        ]
      : []),
    ...(TWAP_MAX_GAP_S !== null && TWAP_MAX_GAP_S > LIVE_TWAP.maxGapS
      ? [
          refusal(
            'average',
            `prices may be missing for ${duration(TWAP_MAX_GAP_S * 1_000)} of an average`,
            `set TWAP_MAX_GAP_S to ${LIVE_TWAP.maxGapS} or less`,
          ),
        ]
      : []),
    ...(SETTLE_LAG_MS === 0
      ? [refusal('average', 'settlement does not wait for the last prices', 'set SETTLE_LAG_MS to 120000')]
      : []),
  ]
}

function keyFindings(values: Values): Finding[] {
  const { OPERATOR_TOKEN, RESOLUTION_SIGNER_KEY, RESOLUTION_SIGNER_SOCKET } = values
  const known = publicAddresses()
  const isPublic = (name: 'RESOLUTION_SIGNER_KEY' | 'FAUCET_PRIVATE_KEY') => {
    const key = values[name]
    return key !== null && known.includes(accountOf(key).address)
  }
  return [
    ...(OPERATOR_TOKEN === null
      ? [refusal('token', 'no OPERATOR_TOKEN is set', 'set one of 32 random bytes: openssl rand -hex 32')]
      : []),
    ...(RESOLUTION_SIGNER_KEY === null && RESOLUTION_SIGNER_SOCKET === null
      ? [refusal('signer', 'nothing signs resolutions', 'set RESOLUTION_SIGNER_SOCKET, and run: rfqctl signer serve')]
      : []),
    ...(['RESOLUTION_SIGNER_KEY', 'FAUCET_PRIVATE_KEY'] as const)
      .filter(isPublic)
      .map((name) => refusal('keys', `${name} is public: it is one of Anvil's ten`, 'make one: rfqctl wallet create')),
  ]
}

/** Checks that a TLS proxy can be in front, and that no one else can pretend to be it. */
function proxyFindings({ HOST, TRUST_PROXY }: Values): Finding[] {
  if (TRUST_PROXY === false) {
    const found = isLoopback(HOST)
      ? 'no proxy is trusted: all clients behind one share the limits of one address'
      : `the relay listens at ${HOST} in plain HTTP, and no proxy is trusted`
    return [refusal('proxy', found, 'put a proxy with TLS in front, and set TRUST_PROXY to its address')]
  }
  return TRUST_PROXY === true && !isLoopback(HOST)
    ? [refusal('proxy', 'anyone may name the client: TRUST_PROXY is true', "set TRUST_PROXY to the proxy's address")]
    : []
}

const REMOTE_URLS = ['RPC_URL', 'MARKETS_URL', 'PRICE_HISTORY_URL', 'WEB_RELAYER_URL'] as const

/** Without TLS, data can be changed on its way over the internet. */
const plainHttpFindings = (values: Values): Finding[] =>
  REMOTE_URLS.filter((name) => isPlainAbroad(values[name])).map((name) =>
    refusal('http', `${name} is plain HTTP`, 'use its https address'),
  )

/** True where a URL leaves private networks without TLS. A name without a dot is on a private network. */
function isPlainAbroad(url: string | null): boolean {
  if (url === null) return false
  const { protocol, hostname } = new URL(url)
  const isPrivate = /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname) && isIP(hostname) === 4
  return protocol === 'http:' && !isLoopback(hostname) && !isPrivate && hostname.includes('.')
}

/** Bounds that 0 disables. */
const QUOTAS = [
  'REQUEST_RATE_PER_ADDRESS',
  'MAX_OPEN_REQUESTS',
  'MAX_OPEN_REQUESTS_PER_ADDRESS',
  'MAX_UNFILLED_ORDERS',
  'MAX_UNPROVEN_ORDERS',
  'MAX_CONNECTIONS_PER_ADDRESS',
] as const satisfies readonly SettingName[]

const quotaFindings = (values: Values): Finding[] =>
  QUOTAS.filter((name) => values[name] === 0).map((name) =>
    refusal('quotas', `${name} is 0: there is no limit`, `set ${name}, or leave it to its default`),
  )

/** Null where it is not set. */
export const backupDir = ({ cli }: DoctorContext, { BACKUP_DIR }: Values): string | null =>
  BACKUP_DIR === null ? null : resolve(cli.cwd, BACKUP_DIR)
