import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseVerifierKey, type VerifierKey } from '../../src/protocol/domain/checkpoint.ts'
import { type Transcript, verifyTranscript } from '../../src/protocol/domain/transcript.ts'
import { decodeTranscript } from '../../src/protocol/wire/transcript.ts'
import { eventually } from '../kit/eventually.ts'
import { verifyEd25519 } from '../support/verify-ed25519.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { trade } from './harness/trade.ts'

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer')

describe.concurrent.each(openServices(import.meta.url))('the transparency log, $mode', (service) => {
  const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers })

  it('proves to a taker how its price was found (protocol transcript-1, protocol transcript-2, protocol transcript-3)', async () => {
    const { created, quoteId } = await trade(service)
    const { requestId, takerSecret } = created
    const { text } = await eventually(
      () => get(`/v1/quote-requests/${requestId}/transcript`, { 'x-taker-secret': takerSecret }),
      ({ status }) => status === 200,
    )
    const environment = (await get('/v1/environment')).body as { logKeys: string[] }
    const trusted = environment.logKeys.map((key) => parseVerifierKey(sha256, key) as VerifierKey)
    const transcript = decodeTranscript(sha256, text) as Transcript
    expect(verifyTranscript(transcript, { sha256, verify: verifyEd25519, trusted })).toMatchObject({
      problems: [],
      isWhole: true,
      winner: { quoteId },
    })
    expect(await get(`/v1/quote-requests/${requestId}/transcript`)).toMatchObject({
      status: 403,
      body: failure('taker_secret_required'),
    })
  })

  it('is served as C2SP has it (protocol transcript-1)', async () => {
    await trade(service)
    const { text, headers } = await eventually(
      () => get('/v1/log/checkpoint'),
      ({ status }) => status === 200,
    )
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const size = Number(text.split('\n')[1])
    const width = Math.min(size, 256)
    const tile = await get(`/v1/log/tile/0/000${width === 256 ? '' : `.p/${width}`}`)
    expect(tile).toMatchObject({ status: 200 })
    expect(tile.headers.get('cache-control')).toContain('immutable')
    expect(tile.headers.get('content-type')).toBe('application/octet-stream')
    expect(await get('/v1/log/tile/unknown')).toMatchObject({ status: 404 })
    expect(await get('/v1/log/tile/entries/999')).toMatchObject({ status: 404, body: failure('not_found') })
  })
})
