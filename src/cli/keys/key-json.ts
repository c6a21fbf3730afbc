import type { ApiKeyRecord } from '../../client/index.ts'

/** A key record for programs. */
export const keyJson = ({ id, name, keyPrefix, createdAt, lastUsedAt, revokedAt }: ApiKeyRecord) => ({
  id,
  name,
  keyPrefix,
  createdAt: isoOrNull(createdAt),
  lastUsedAt: isoOrNull(lastUsedAt),
  revokedAt: isoOrNull(revokedAt),
})

const isoOrNull = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())
