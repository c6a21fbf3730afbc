import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'

const RFQCTL = fileURLToPath(new URL('../bin/rfqctl.js', import.meta.url))

/** The strictest set, without what cannot hold here. */
const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // A route that reads nothing of a request cannot refuse it.
    'operation-4xx-response': 'off',
    // A WebSocket begins with 101.
    'operation-2xx-response': 'off',
  },
  // The taker's stream is open to all, and AsyncAPI has no way to say so.
  async3Rules: { 'security-defined': 'off' },
})

/** @param {'openapi' | 'asyncapi'} name */
async function lint(name) {
  const source = execFileSync(process.execPath, [RFQCTL, 'api', name, '--json'], { encoding: 'utf8' })
  const problems = await lintFromString({ source, absoluteRef: `${name}.json`, config })
  for (const { ruleId, message, location } of problems) {
    console.error(`${name}: ${message} (${ruleId}) at ${location[0]?.pointer}`)
  }
  console.log(`${name}: ${problems.length} problems in ${Object.keys(JSON.parse(source)).length} parts`)
  return problems.length
}

const found = (await lint('openapi')) + (await lint('asyncapi'))
process.exitCode = found === 0 ? 0 : 1
