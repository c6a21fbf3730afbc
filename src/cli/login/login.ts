import { createAccountClient } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { requireSandbox } from '@rfqctl/relay/app/sandbox-file'
import type { Cli, Run } from '../cli.ts'
import { operatorToken } from '../context/operator.ts'
import { dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { saveLogin } from './session.ts'

type Options = RelayOptions & { dev?: string; tokenStdin?: boolean }

export const login: Run<Options> = async (cli, options) => {
  const url = relayUrl(cli, options)
  const accessToken = await tokenOf(cli, options)
  const profile = await createAccountClient({ url, accessToken }).getProfile({ signal: cli.stop })
  saveLogin(dataDirOf(cli, options), { url, accessToken })
  const { id, idpDid, makerId, createdAt } = profile
  cli.out.print(
    { type: 'login', id, idpDid, makerId, createdAt: new Date(createdAt).toISOString() },
    `signed in as ${safeText(idpDid)}, maker ${safeText(makerId)}`,
  )
  cli.out.note('Next: rfqctl keys create')
}

async function tokenOf(cli: Cli, options: Options): Promise<string> {
  if (options.dev !== undefined) return developmentToken(cli, options, options.dev)
  const token = options.tokenStdin ? (await cli.readStdin()).trim() : ''
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new CliError(options.tokenStdin ? 'stdin does not hold an access token' : 'no sign-in method given', {
    why: ['--dev NAME: as any user, on your own relay', '--token-stdin: with a token from your identity provider'],
    hint: 'rfqctl login --dev ada',
  })
}

/** Issued by the sandbox's own identity provider to any name. For local work only. */
async function developmentToken(cli: Cli, options: { dataDir?: string }, name: string): Promise<string> {
  const { identityUrl } = requireSandbox(dataDirOf(cli, options))
  if (identityUrl === undefined || identityUrl === null) throw noProvider()
  const answer = await fetch(`${identityUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken(cli, options)}` },
    body: JSON.stringify({ name }),
    redirect: 'error',
    signal: cli.stop,
  }).catch((cause: unknown) => {
    if (cli.stop.aborted) throw cause
    throw unreachable(identityUrl, cause)
  })
  if (answer.status === 400) throw badName()
  if (!answer.ok) throw unreachable(identityUrl, new Error(`it answered with status ${answer.status}`))
  return ((await answer.json()) as { access_token: string }).access_token
}

const noProvider = (): CliError =>
  new CliError('this relay has no identity provider of its own', {
    code: 'no_identity_provider',
    why: ['it has none in production, on a host that others can reach, or where IDP_ISSUER is set'],
    hint: 'rfqctl login --token-stdin, with a token from your provider',
  })

const badName = (): CliError =>
  new CliError('that name cannot be used to sign in', {
    why: ['a name has at most 64 letters, digits, dots, hyphens and underscores, and starts with a letter or digit'],
    hint: 'rfqctl login --dev ada',
  })

const unreachable = (url: string, cause: unknown): CliError =>
  new CliError(`the identity provider at ${url} cannot be reached`, {
    code: 'unreachable',
    hint: 'start a relay: rfqctl up',
    cause,
  })
