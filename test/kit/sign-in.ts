import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The headers of somebody who is signed in at the identity provider that a local relay on this folder brings. */
export async function signIn(
  dataDir: string,
  { name = 'ada', operatorToken }: { name?: string; operatorToken?: string } = {},
): Promise<{ authorization: string }> {
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  const headers = { authorization: `Bearer ${operatorToken ?? sandbox.operatorToken}` }
  const body = JSON.stringify({ name })
  const answer = await fetch(`${sandbox.identityUrl}/token`, { method: 'POST', headers, body })
  return { authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` }
}
