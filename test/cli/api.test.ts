import { expect, test } from 'vitest'
import { describeApi } from '../../src/relay/server/openapi/describe.ts'
import { run } from './support.ts'

test.each(['openapi', 'asyncapi'] as const)('rfqctl api %s prints the document, without any relay', async (name) => {
  const { code, stdout, stderr } = await run(['api', name])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { servers: _, ...described } = (await describeApi())[name]
  expect(JSON.parse(stdout)).toMatchObject(described)
  expect(stdout.split('\n').length).toBeGreaterThan(1_000)
})

test('the AsyncAPI document names the relay that commands of this folder ask', async () => {
  const { stdout } = await run(['api', 'asyncapi'], { environment: { RFQCTL_URL: 'https://rfq.example' } })
  expect(JSON.parse(stdout).servers).toMatchObject({
    http: { host: 'rfq.example', protocol: 'https' },
    ws: { host: 'rfq.example', protocol: 'wss' },
  })
})

test('for programs it is one line', async () => {
  const { stdout } = await run(['api', 'openapi', '--json'])
  expect(stdout.trim().split('\n')).toHaveLength(1)
})

test('a document that there is not is refused', async () => {
  const { code, stderr } = await run(['api', 'graphql'])
  expect(code).toBe(2)
  expect(stderr).toContain('openapi, asyncapi')
})
