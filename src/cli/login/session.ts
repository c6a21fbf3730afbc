import { join } from 'node:path'
import { type AccountClient, createAccountClient } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { readPrivateJson, writePrivateJson } from '@rfqctl/lib/private-file'
import type { Cli } from '../cli.ts'
import { dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'

/** The token is sent to the relay of `url` and to no other. */
export type Login = { url: string; accessToken: string }

const pathIn = (dataDir: string): string => join(dataDir, 'login.json')

/** Readable by its owner only. */
export const saveLogin = (dataDir: string, login: Login): void => writePrivateJson(pathIn(dataDir), login)

/** Uses `RFQCTL_ACCESS_TOKEN`, else the last `login`. */
export function accountClient(cli: Cli, options: RelayOptions): AccountClient {
  const url = relayUrl(cli, options)
  const accessToken = cli.environment.RFQCTL_ACCESS_TOKEN || keptToken(dataDirOf(cli, options), url)
  return createAccountClient({ url, accessToken })
}

export const isSignedIn = (cli: Cli, options: RelayOptions): boolean =>
  Boolean(cli.environment.RFQCTL_ACCESS_TOKEN) ||
  readPrivateJson<Login>(pathIn(dataDirOf(cli, options)))?.url === relayUrl(cli, options)

function keptToken(dataDir: string, url: string): string {
  const login = readPrivateJson<Login>(pathIn(dataDir))
  if (login?.url === url) return login.accessToken
  throw new CliError(login === null ? 'you are not signed in' : 'you are signed in to another relay', {
    code: 'not_signed_in',
    why: login === null ? [] : [`to ${login.url}, not to ${url}`],
    hint: 'rfqctl login --dev NAME, or set RFQCTL_ACCESS_TOKEN',
  })
}
