import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventually } from '../kit/eventually.ts'
import { failure } from './harness/match.ts'
import { openServices } from './harness/service.ts'
import { trade } from './harness/trade.ts'

const SCRIPT = fileURLToPath(new URL('../support/oracles/verify_transcript.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

type File = {
  checkpoint: string
  keys: string[]
  leaves: { record: { number: number; entry: { kind: string; quoteId?: string; chosen?: string } } }[]
}

describe.concurrent.each(openServices(import.meta.url))('the transparency log, $mode', (service) => {
  const get = (path: string, headers: Record<string, string> = {}) => service.call('GET', path, { headers })

  it('shows a taker how its price was found (protocol transcript-1, protocol transcript-2, protocol transcript-3)', async () => {
    const { created, quoteId } = await trade(service)
    const path = `/v1/quote-requests/${created.requestId}/transcript`
    const { text } = await eventually(
      () => get(path, { 'x-taker-secret': created.takerSecret }),
      ({ status }) => status === 200,
    )
    const { keys, leaves, checkpoint } = JSON.parse(text) as File
    expect((await get('/v1/environment')).body).toMatchObject({ logKeys: keys })
    expect(checkpoint).toContain(keys[0]?.split('+')[0])
    expect(leaves.map(({ record }) => record.number)).toEqual(leaves.map((_, i) => i))
    const entries = leaves.map(({ record }) => record.entry)
    expect(entries.find(({ kind }) => kind === 'ranked')?.chosen).toBe(quoteId)
    expect(entries.find(({ kind }) => kind === 'confirmed')?.quoteId).toBe(quoteId)
    if (hasPython) {
      const { stdout } = spawnSync('python3', [SCRIPT], { input: `${JSON.stringify(text)}\n`, encoding: 'utf8' })
      expect(stdout.trim()).toBe('ok')
    }
    expect(await get(path)).toMatchObject({ status: 403, body: failure('taker_secret_required') })
  })

  it('shows the quality of makers under pseudonyms (protocol transcript-4)', async () => {
    await trade(service)
    const { body } = await eventually(
      () => get('/v1/quality'),
      ({ status, text }) => status === 200 && text.includes('"filled"'),
    )
    const { month, makers } = body as { month: string; makers: { makerId: null; signed: number }[] }
    expect(month).toMatch(/^\d{4}-\d\d$/)
    expect(makers[0]).toMatchObject({ makerId: null, pseudonym: expect.stringMatching(/^[0-9a-f]{16}$/) })
    expect(makers[0]?.signed).toBeGreaterThan(0)
    expect(await get('/v1/quality?month=2027-13')).toMatchObject({ status: 400, body: failure('invalid_request') })
    expect(await get('/v1/quality', { 'x-api-key': 'unknown' })).toMatchObject({ body: failure('invalid_api_key') })
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
