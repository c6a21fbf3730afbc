import { spawnSync } from 'node:child_process'
import { beforeAll, expect, it } from 'vitest'
import { buildWhenStale } from '../../kit/build.ts'

beforeAll(buildWhenStale)

const LOG = new URL('../../../dist/modules/relay/adapters/log.js', import.meta.url)

it.each([
  ['ends at once', 'process.exit(0)', 0],
  ['fails', 'throw new Error("out of luck")', 1],
])('a process that logs and %s has written its lines', (_, end, status) => {
  const program = `import { createLog } from ${JSON.stringify(LOG)}
    const log = createLog({ level: 'info' })
    for (let count = 1; count <= 300; count += 1) log.info('started', { count })
    ${end}`
  const ended = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const lines = ended.stderr.split('\n').filter((line) => line.startsWith('{"level"'))
  expect(lines.map((line) => JSON.parse(line).count)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
  expect(ended.status).toBe(status)
})
