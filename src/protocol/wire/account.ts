import type { Static } from 'typebox'
import * as Type from 'typebox'
import { CHOSEN_MAKER_ID } from '../domain/maker-id.ts'
import * as field from './field.ts'
import { decodeLabel, decodeTime, encodeTime } from './fields.ts'
import { createBodyReader, createReader } from './reader.ts'
import { described, IsoTime, nullable, optional, SecretText, successOf, Text, textOf } from './schemas.ts'

const MAX_NAME_LENGTH = 100

export const UserFields = Type.Object({
  id: described(Text, 'Id of the user.', '6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b'),
  idpDid: described(Text, "The identity provider's id of the user: `sub` of the token.", 'did:example:ada'),
  makerId: described(Text, "The user's stable name as a maker.", 'maker-6ec0bd7f11c0'),
  createdAt: field.createdAt,
})

export const ApiKeyFields = Type.Object({
  id: described(Text, 'Id of the key record.', '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'),
  name: field.name,
  keyPrefix: described(Text, 'The start of the key, to recognize it by.', 'mk_live_Zk3v'),
  createdAt: field.createdAt,
  lastUsedAt: nullable(
    described(IsoTime, 'Time of its last use, to the minute; null if never used.', '2027-01-15T07:00:02.000Z'),
  ),
  revokedAt: nullable(described(IsoTime, 'Time of its revocation; null while active.', null)),
})

/** `GET /v1/user/profile` */
export const ProfileAnswer = successOf({ user: UserFields })

/** `GET /v1/user/api-keys` */
export const ApiKeysAnswer = successOf({
  apiKeys: described(Type.Array(ApiKeyFields), 'The active keys, oldest first.'),
})

/** `POST /v1/user/api-keys` */
export const CreateApiKeyBody = Type.Object({
  name: optional(described(textOf(MAX_NAME_LENGTH), field.name)),
  makerId: optional(
    described(
      Type.String({
        pattern: CHOSEN_MAKER_ID,
        must: '3 to 24 lower-case letters (a to z), digits and hyphens, a letter first',
      }),
      'The makerId that the user has from now on, which a user that has never had a key may choose, once. Left out or null: the one that it has.',
      'ada',
    ),
  ),
})

/**
 * The answer with a new key. `key` is the secret, which only this answer shows; a relay of an earlier version sends no
 * `makerId`.
 */
export const CreatedApiKeyAnswer = successOf({
  key: described(SecretText, 'The secret of the key, returned only once.', 'mk_live_Zk3v8sQ1mT7yB2nR5wX9cL4hJ6p3UHNMl'),
  makerId: Type.Optional(field.makerId),
  apiKey: ApiKeyFields,
})

const readProfile = createReader(ProfileAnswer, 'the answer')
const readApiKeys = createReader(ApiKeysAnswer, 'the answer')
const readCreate = createBodyReader(CreateApiKeyBody)
const readCreated = createReader(CreatedApiKeyAnswer, 'the answer')

/** A user of the relay. */
export type Profile = {
  /** The relay's id of the user. */
  id: string
  /** The identity provider's id of the user. */
  idpDid: string
  /** The maker that the user's keys are for. */
  makerId: string
  /** The time at which it was created. */
  createdAt: number
}

/** A maker key without its secret. Times are Unix milliseconds. */
export type ApiKeyRecord = {
  /** Id by which the key is revoked. */
  id: string
  /** The name that its user gave it; may be empty. */
  name: string
  /** The first characters of the secret, to tell keys apart. */
  keyPrefix: string
  /** Time of its creation. */
  createdAt: number
  /** Rough time of its last use; null: never. */
  lastUsedAt: number | null
  /** The time at which it was revoked; null: never. */
  revokedAt: number | null
}

/** A key as the relay keeps it; its digest goes nowhere. */
type StoredKey = Omit<ApiKeyRecord, 'id' | 'keyPrefix'> & { keyId: string; prefix: string }

export function encodeProfile(input: Omit<Profile, 'id'> & { userId: string }): Static<typeof ProfileAnswer> {
  const { userId, idpDid, makerId, createdAt } = input
  return { success: true, user: { id: userId, idpDid, makerId, createdAt: encodeTime(createdAt) } }
}

export function decodeProfile(answer: unknown): Profile {
  const { id, idpDid, makerId, createdAt } = readProfile(answer).user
  return { id, idpDid, makerId, createdAt: decodeTime(createdAt, 'createdAt') }
}

export const encodeApiKeys = (keys: readonly StoredKey[]): Static<typeof ApiKeysAnswer> => ({
  success: true,
  apiKeys: keys.map(encodeApiKey),
})

export const decodeApiKeys = (answer: unknown): ApiKeyRecord[] => readApiKeys(answer).apiKeys.map(decodeApiKey)

/** The name of the key that is asked for, an empty one when none was given, and the makerId that its user chooses; null: none. */
export function decodeCreateApiKey(body: unknown): { name: string; makerId: string | null } {
  const { name, makerId } = readCreate(body)
  return { name: decodeLabel(name, 'name', MAX_NAME_LENGTH), makerId: makerId ?? null }
}

type Asked = Record<'name' | 'makerId', string | undefined>

export const encodeCreateApiKey = ({ name, makerId }: Asked): Static<typeof CreateApiKeyBody> => ({
  ...(name === undefined ? {} : { name }),
  ...(makerId === undefined ? {} : { makerId }),
})

export const encodeCreatedApiKey = (
  secret: string,
  key: StoredKey & { makerId: string },
): Static<typeof CreatedApiKeyAnswer> => ({
  success: true,
  key: secret,
  makerId: key.makerId,
  apiKey: encodeApiKey(key),
})

export function decodeCreatedApiKey(answer: unknown): { key: string; makerId: string | null; apiKey: ApiKeyRecord } {
  const { key, makerId, apiKey } = readCreated(answer)
  return { key, makerId: makerId ?? null, apiKey: decodeApiKey(apiKey) }
}

const encodeApiKey = ({ keyId, prefix, ...key }: StoredKey): Static<typeof ApiKeyFields> => ({
  id: keyId,
  name: key.name,
  keyPrefix: prefix,
  createdAt: encodeTime(key.createdAt),
  lastUsedAt: key.lastUsedAt === null ? null : encodeTime(key.lastUsedAt),
  revokedAt: key.revokedAt === null ? null : encodeTime(key.revokedAt),
})

const decodeApiKey = ({ id, name, keyPrefix, ...times }: Static<typeof ApiKeyFields>): ApiKeyRecord => ({
  id,
  name,
  keyPrefix,
  createdAt: decodeTime(times.createdAt, 'createdAt'),
  lastUsedAt: times.lastUsedAt === null ? null : decodeTime(times.lastUsedAt, 'lastUsedAt'),
  revokedAt: times.revokedAt === null ? null : decodeTime(times.revokedAt, 'revokedAt'),
})
