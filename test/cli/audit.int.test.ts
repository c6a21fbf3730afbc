import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const NOBODY = '00000000-0000-4000-8000-000000000000'

test('rfqctl audit tells the life of a request, also after a restart', async () => {
  const dir = temporaryDir()
  const { url, stop } = await serveFrom(dir)
  const post = async (path: string, body: object) =>
    (await fetch(`${url}${path}`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })).json()
  const { requestId, takerSecret } = (await post('/quote-requests', {
    market: { conditionId: `0x${'11'.repeat(32)}`, yesTokenId: '7', question: 'What for?' },
    option: { strikeBps: 4_500, optionType: 'call', expiryMs: Date.now() + 3_600_000 },
    trade: { side: 'buy', budgetUsd: 100 },
  })) as { requestId: string; takerSecret: string }
  await post(`/quote-requests/${requestId}/cancel`, { takerSecret })
  const said = await run(['audit', requestId], { cwd: dir })
  expect(said).toMatchObject({ code: 0, stderr: `request ${requestId}\n` })
  expect(said.stdout).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} {2}● a taker asks: .*\n +\+\d\.\d{3} s {2}○ the request closes: cancelled\n$/,
  )
  expect((await run(['audit', requestId, '--ascii'], { cwd: dir })).stdout).toMatch(/^[\x20-\x7e\n]+$/)
  const documents = (await run(['audit', requestId, '--json'], { cwd: dir })).stdout.trim().split('\n')
  expect(documents.map((text) => JSON.parse(text))).toEqual([
    expect.objectContaining({ type: 'opened', requestId, at: expect.any(String) }),
    { type: 'closed', requestId, at: expect.any(String), status: 'cancelled' },
  ])
  await stop()
  await serveFrom(dir)
  expect((await run(['audit', requestId], { cwd: dir })).stdout).toBe(said.stdout)
  expect((await run(['audit', NOBODY], { cwd: dir })).code).toBe(5)
  expect((await run(['audit', requestId.slice(0, 6)], { cwd: dir })).code).toBe(5)
})

test('rfqctl audit is for who has the operator token', async () => {
  const dir = temporaryDir()
  const { url } = await serveFrom(dir)
  expect(JSON.parse(readFileSync(join(dir, '.rfqctl', 'sandbox.json'), 'utf8')).operatorToken).toEqual(
    expect.any(String),
  )
  const stranger = temporaryDir()
  expect((await run(['audit', NOBODY, '--url', url], { cwd: stranger })).code).toBe(4)
  const environment = { OPERATOR_TOKEN: 'x'.repeat(32) }
  expect((await run(['audit', NOBODY, '--url', url], { cwd: stranger, environment })).code).toBe(4)
})
