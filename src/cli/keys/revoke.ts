import { safeText } from '../../domain/safe-text.ts'
import type { Run } from '../cli.ts'
import { findByPrefix } from '../context/find-by-prefix.ts'
import type { RelayOptions } from '../context/targets.ts'
import { accountClient } from '../login/session.ts'
import { keyJson } from './key-json.ts'

/** Revokes a maker key: it stops working at once, and its connections are closed. */
export const run: Run<RelayOptions, [key: string]> = async (cli, options, text) => {
  const client = accountClient(cli, options)
  const items = await client.listApiKeys({ signal: cli.stop })
  const key = findByPrefix(text, { noun: 'of your keys', items, idOf: ({ id }) => id, list: 'rfqctl keys list' })
  await client.revokeApiKey({ id: key.id, signal: cli.stop })
  cli.out.print({ type: 'api_key_revoked', apiKey: keyJson(key) }, `revoked ${safeText(key.keyPrefix)}…`)
}
