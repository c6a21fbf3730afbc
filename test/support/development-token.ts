import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A token for somebody, of the identity provider that a local relay on this folder brings. */
export async function developmentToken(dataDir: string): Promise<string> {
  const { operatorToken, identityUrl } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  const headers = { authorization: `Bearer ${operatorToken}` }
  const answer = await fetch(`${identityUrl}/token`, { method: 'POST', headers, body: '{"name":"ada"}' })
  return ((await answer.json()) as { access_token: string }).access_token
}
