import type { ApiKeyRecord } from '../../client/index.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Run } from '../cli.ts'
import type { RelayOptions } from '../context/targets.ts'
import { accountClient } from '../login/session.ts'
import { shortId, when } from '../terminal/format.ts'
import { type Column, tableLines } from '../terminal/table.ts'
import { keyJson } from './key-json.ts'

/** Lists active maker keys, oldest first. */
export const run: Run<RelayOptions> = async (cli, options) => {
  const keys = await accountClient(cli, options).listApiKeys({ signal: cli.stop })
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
