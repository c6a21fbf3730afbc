import type { ApiKeyRecord } from '@rfqctl/client/index'
import { shortId, when } from '@rfqctl/lib/format'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import type { Run } from '../cli.ts'
import { findItem, keepShownRows, type RowChoice } from '../context/shown-rows.ts'
import type { RelayOptions } from '../context/targets.ts'
import { accountClient } from '../login/session.ts'
import { type Column, tableLines } from '../terminal/table.ts'

/** Prints nothing but the secret on stdout, so that it can be piped to where it is kept. */
export const createKey: Run<RelayOptions & { name?: string; as?: string }> = async (cli, options) => {
  const { name, as } = options
  const input = {
    signal: cli.stop,
    ...(name === undefined ? {} : { name }),
    ...(as === undefined ? {} : { makerId: as }),
  }
  const { key, makerId, apiKey } = await accountClient(cli, options).createApiKey(input)
  cli.out.print({ type: 'api_key', key, makerId, apiKey: keyJson(apiKey) }, key)
  const label = apiKey.name === '' ? '' : ` "${safeText(apiKey.name)}"`
  cli.out.note(`The key${label} is shown only this once. Makers send it as X-API-Key.`)
  if (makerId !== null) cli.out.note(`It is for the maker ${safeText(makerId)}.`)
  if (makerId === null && as !== undefined) cli.out.note('The relay is of an earlier version and ignored --as.')
  cli.out.note(
    'Next: rfqctl wallet create NAME, rfqctl faucet --account NAME, rfqctl maker approve --account NAME, and then RFQCTL_API_KEY=... rfqctl maker stream',
  )
}

const KEY_ROWS: Pick<RowChoice<ApiKeyRecord>, 'shown' | 'idOf' | 'nameOf'> = {
  shown: 'keys',
  idOf: ({ id }) => id,
  nameOf: ({ keyPrefix }) => `${safeText(keyPrefix)}…`,
}

export const listKeys: Run<RelayOptions> = async (cli, options) => {
  const keys = await accountClient(cli, options).listApiKeys({ signal: cli.stop })
  keepShownRows(cli, options, { ...KEY_ROWS, items: keys })
  cli.out.print(
    { type: 'api_keys', count: keys.length, apiKeys: keys.map(keyJson) },
    keys.length === 0 ? 'no keys' : tableLines(columnsAt(Date.now(), keys), keys, cli.out),
  )
}

const columnsAt = (now: number, keys: readonly ApiKeyRecord[]): Column<ApiKeyRecord>[] => [
  { heading: '', cell: (key) => `@${keys.indexOf(key) + 1}` },
  { heading: 'ID', cell: ({ id }) => shortId(safeText(id)) },
  { heading: 'KEY', cell: ({ keyPrefix }) => `${safeText(keyPrefix)}…` },
  { heading: 'CREATED', cell: ({ createdAt }) => when(createdAt, now) },
  { heading: 'LAST USED', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : when(lastUsedAt, now)) },
  { heading: 'NAME', cell: ({ name }) => safeText(name) },
]

/** The key stops working at once, and its connections are closed. */
export const revokeKey: Run<RelayOptions, [key: string]> = async (cli, options, text) => {
  const client = accountClient(cli, options)
  const items = await client.listApiKeys({ signal: cli.stop })
  const key = findItem(cli, options, { ...KEY_ROWS, text, noun: 'of your keys', items, list: 'rfqctl keys list' })
  await client.revokeApiKey({ id: key.id, signal: cli.stop })
  cli.out.print({ type: 'api_key_revoked', apiKey: keyJson(key) }, `revoked ${safeText(key.keyPrefix)}…`)
}

const keyJson = ({ id, name, keyPrefix, createdAt, lastUsedAt, revokedAt }: ApiKeyRecord) => ({
  id,
  name,
  keyPrefix,
  createdAt: isoOrNull(createdAt),
  lastUsedAt: isoOrNull(lastUsedAt),
  revokedAt: isoOrNull(revokedAt),
})

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
