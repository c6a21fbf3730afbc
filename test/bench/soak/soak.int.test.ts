import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { runSoak, type SoakOptions } from '../../../bench/soak/soak.ts'
import { createOutput } from '../../../src/cli/terminal/output.ts'
import { buildWhenStale } from '../../kit/build.ts'

beforeAll(buildWhenStale)

const programs = {
  bin: fileURLToPath(new URL('../../../bin/rfqctl.js', import.meta.url)),
  probe: new URL('../../../bench/soak/probe.mjs', import.meta.url).href,
}

/** The documents that a soak prints. */
async function soak(options: Partial<SoakOptions>) {
  const lines: string[] = []
  const stdout = { write: (text: string) => lines.push(text) }
  const out = createOutput({ stdout, stderr: { write: () => {} }, isJson: true, allowsColor: false })
  const { signal } = new AbortController()
  const few = { for: 2_000, makers: 5, rounds: 4, quotes: 3, kill: false, nodes: 1 }
  await runSoak({ out, stop: signal, programs }, { ...few, ...options })
  return lines.map((line) => JSON.parse(line))
}

test('a soak of seconds trades on a relay of its own and sees no fault on the wire', async () => {
  const documents = await soak({})
  expect(documents.map(({ type }) => type)).toEqual(['slice', 'slice', 'soak'])
  const { scores, ...told } = documents.at(-1)
  expect(told).toMatchObject({ isWhole: true, violations: 0, broken: 0, reasons: [], kills: null })
  expect(told.requests).toBeGreaterThan(0)
  for (const name of ['V1', 'V2', 'V3', 'V4', 'V6', 'V7', 'V8', 'V9']) expect(scores[name].checks).toBeGreaterThan(0)
})

test('a soak of seconds kills its makers, and their protections hold (invariant V11)', async () => {
  const { scores, ...told } = (await soak({ kill: true, for: 3_000, makers: 6 })).at(-1)
  expect(told).toMatchObject({ violations: 0, broken: 0, reasons: [] })
  expect(told.kills.kills).toBeGreaterThan(0)
  for (const name of ['V1', 'V3', 'V9', 'V11']) expect(scores[name].checks).toBeGreaterThan(0)
})
