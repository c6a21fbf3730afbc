import { describe, expect, it } from 'vitest'
import {
  decodeApiKeys,
  decodeCreateApiKey,
  decodeCreatedApiKey,
  decodeProfile,
  encodeApiKeys,
  encodeCreateApiKey,
  encodeCreatedApiKey,
  encodeProfile,
} from '../../../src/protocol/wire/account.ts'

const CREATED = Date.UTC(2026, 0, 1)
const user = { userId: 'user-1', idpDid: 'did:ada', makerId: 'maker-1', createdAt: CREATED }
const key = {
  keyId: 'key-1',
  userId: 'user-1',
  makerId: 'maker-1',
  name: 'desk',
  prefix: 'mk_live_abcd',
  digest: 'ff'.repeat(32),
  createdAt: CREATED,
  lastUsedAt: CREATED + 60_000,
  revokedAt: null,
}
const record = {
  id: 'key-1',
  name: 'desk',
  keyPrefix: 'mk_live_abcd',
  createdAt: CREATED,
  lastUsedAt: CREATED + 60_000,
  revokedAt: null,
}

describe('accounts on the wire', () => {
  it('tell a user by the words of the specification, and back', () => {
    const answer = encodeProfile(user)
    expect(answer).toEqual({
      success: true,
      user: { id: 'user-1', idpDid: 'did:ada', makerId: 'maker-1', createdAt: '2026-01-01T00:00:00.000Z' },
    })
    expect(decodeProfile(JSON.parse(JSON.stringify(answer)))).toEqual({
      id: 'user-1',
      idpDid: 'did:ada',
      makerId: 'maker-1',
      createdAt: CREATED,
    })
  })

  it('tell keys without their digests, and back', () => {
    const answer = encodeApiKeys([key])
    expect(answer.apiKeys).toEqual([
      {
        id: 'key-1',
        name: 'desk',
        keyPrefix: 'mk_live_abcd',
        createdAt: '2026-01-01T00:00:00.000Z',
        lastUsedAt: '2026-01-01T00:01:00.000Z',
        revokedAt: null,
      },
    ])
    expect(decodeApiKeys(answer)).toEqual([record])
    expect(decodeApiKeys(encodeApiKeys([{ ...key, lastUsedAt: null, revokedAt: CREATED }]))).toEqual([
      { ...record, lastUsedAt: null, revokedAt: CREATED },
    ])
  })

  it('tell the secret with the key that was made', () => {
    expect(decodeCreatedApiKey(encodeCreatedApiKey('mk_live_secret', { ...key, makerId: 'ada' }))).toEqual({
      key: 'mk_live_secret',
      makerId: 'ada',
      apiKey: record,
    })
    const { makerId: _, ...former } = encodeCreatedApiKey('mk_live_secret', { ...key, makerId: 'ada' })
    expect(decodeCreatedApiKey(former).makerId).toBeNull()
  })

  it('ask for a key by a name, or without', () => {
    const asked = { name: 'desk', makerId: 'ada' }
    expect(decodeCreateApiKey(encodeCreateApiKey(asked))).toEqual(asked)
    const nothing = encodeCreateApiKey({ name: undefined, makerId: undefined })
    expect(nothing).toEqual({})
    expect(decodeCreateApiKey(nothing)).toEqual({ name: '', makerId: null })
    expect(() => decodeCreateApiKey({ Name: 'desk' })).toThrow(/did you mean name/)
  })

  it('never repeat a secret in a refusal', () => {
    expect(() => decodeCreatedApiKey({ success: true, key: ['mk_live_secret'], apiKey: record })).toThrow(
      /^(?!.*mk_live_secret)/,
    )
  })
})
