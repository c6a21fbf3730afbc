import { createAccountClient } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import { CliError } from '../../lib/cli-error.ts'
import type { Cli, Run } from '../cli.ts'
import { dataDirOf } from '../context/data-dir.ts'
import { type RelayOptions, relayUrl } from '../context/targets.ts'
import { developmentToken } from './development-token.ts'
import { saveLogin } from './session.ts'

type Options = RelayOptions & { dev?: string; tokenStdin?: boolean }

/** Signs in, and keeps the token for the commands about keys. */
export const run: Run<Options> = async (cli, options) => {
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
