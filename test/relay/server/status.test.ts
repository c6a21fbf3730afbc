import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startServer, type TestServer } from './support.ts'

/** The text of the page as people see it: a line for each row. */
const linesOf = (page: string): string[] =>
  page
    .replace(/<style>.*<\/style>/s, '')
    .split(/<\/tr>|<\/p>|<\/h1>/)
    .map((part) =>
      part
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )

async function show(server: TestServer) {
  const { status, text, headers } = await server.call('GET', '/status')
  expect(status).toBe(200)
  return { text, headers, lines: linesOf(text) }
}

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

describe('GET /status', () => {
  it('shows people what works, the newest block, the makers and the version', async () => {
    const server = await startServer()
    const { lines } = await show(server)
    expect(lines).toContain('The relay works.')
    for (const start of [
      'Store works',
      'Live market works',
      'Chain works',
      'Newest block 7, 0 s old',
      'Version 1.2.3',
    ]) {
      expect(lines.filter((line) => line.startsWith(start) || line.includes(` ${start}`))).toHaveLength(1)
    }
    expect(lines).toContain('Makers connected 0')
  })

  it('says since when a part does not answer and since when it does again, and not why', async () => {
    const server = await startServer()
    await show(server)
    await server.clock.advance(60_000)
    server.chain.down = true
    const downSince = server.clock.now()
    await show(server)
    await server.clock.advance(5_000)
    const { text, lines } = await show(server)
    expect(lines).toContain('The relay does not take requests now.')
    expect(lines.some((line) => line.endsWith(`Chain does not answer ${timeText(downSince)}`))).toBe(true)
    expect(lines).toContain('Newest block not known')
    expect(text).not.toContain('cannot be read')
    server.chain.down = false
    await server.clock.advance(10_000)
    const { lines: after } = await show(server)
    expect(after.some((line) => line.endsWith(`Chain works ${timeText(server.clock.now())}`))).toBe(true)
  })

  it('has no script, loads nothing and is not framed, by a policy that its own style keeps', async () => {
    const { text, headers } = await show(await startServer())
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).not.toMatch(/<script|<link|<img|src=|href=/)
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })
})
