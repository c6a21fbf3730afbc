import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/protocol/domain/errors.ts'
import { MAKER_MESSAGES } from '../../src/protocol/wire/maker-messages.ts'
import { MAKER_STREAM_EVENTS } from '../../src/protocol/wire/maker-stream.ts'
import { OPERATOR_STREAM_EVENTS } from '../../src/protocol/wire/operator-stream.ts'
import { TAKER_STREAM_EVENTS } from '../../src/protocol/wire/taker-stream.ts'
import { SETTING_NAMES } from '../../src/relay/config/definitions.ts'
import { describeApi } from '../../src/relay/server/openapi/describe.ts'
import { RELAYER } from '../relay/server/codes/relayer.ts'

const PAGE = readFileSync(new URL('../../docs/reference/protocol.md', import.meta.url), 'utf8')
const WORDS = new Set(PAGE.match(/[\w:]+/g))

/** Codes that belong to no endpoint of their own, or to faults that clients cannot bring about. */
const EVERYWHERE = ['invalid_request', 'invalid_json', 'unsupported_media_type', 'payload_too_large', 'request_timeout']
const OF_THE_RELAY = ['internal_error', 'store_unavailable']

/** Codes of another process. */
const OF_RELAYERS = Object.keys(RELAYER)

it('the page of relayers has every refusal of theirs', () => {
  const page = readFileSync(new URL('../../docs/guides/operator/relayer.md', import.meta.url), 'utf8')
  expect(OF_RELAYERS.filter((code) => !page.includes(`\`${code}\``))).toEqual([])
})

describe('the page of the protocol', () => {
  it('has every address that is served', async () => {
    const paths = Object.keys((await describeApi()).openapi.paths as object).filter((path) => path !== '/')
    expect(paths.length).toBeGreaterThan(25)
    expect(paths.filter((path) => !PAGE.includes(path))).toEqual([])
  })

  it('has every event and message', () => {
    const names = [MAKER_STREAM_EVENTS, TAKER_STREAM_EVENTS, OPERATOR_STREAM_EVENTS, MAKER_MESSAGES].flatMap(
      Object.keys,
    )
    expect(names.filter((name) => !WORDS.has(name))).toEqual([])
  })

  it('has every error code of an endpoint, and no other', () => {
    const codes = Object.keys(ERRORS)
    const elsewhere = [...EVERYWHERE, ...OF_THE_RELAY, ...OF_RELAYERS]
    expect(codes.filter((code) => !elsewhere.includes(code) && !WORDS.has(code))).toEqual([])
    const named = [...PAGE.matchAll(/\b\d{3} `([a-z_]+)`/g)].map(([, code = '']) => code)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((code) => !codes.includes(code))).toEqual([])
  })

  it('names settings that there are', () => {
    const named = [...PAGE.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => name !== 'NODE_ENV' && !(SETTING_NAMES as readonly string[]).includes(name))).toEqual(
      [],
    )
  })
})
