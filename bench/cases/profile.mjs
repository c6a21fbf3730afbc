import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PART_NAMES, sharesOf } from '../lab/profile-parts.mjs'
import { MODULES, startRelay } from '../lab/relay.mjs'
import { longestSeries, makerKeys } from '../lab/scene.mjs'
import { startWorker } from '../lab/worker.mjs'

const SCENES = [
  { name: 'socket, 10 makers', makers: 10, by: 'socket', ends: 'any' },
  { name: 'socket, 100', makers: 100, by: 'socket', ends: 'any' },
  { name: 'REST, 10', makers: 10, by: 'rest', ends: 'any' },
  { name: 'all committed, socket, 10', makers: 10, by: 'socket', ends: 'commit' },
]

const AT_ONCE = 20

/** Requests that are left to their time live so long. */
const TTL_MS = 1_000

/** Where the thread that serves spends its time, of the modules as they are: a bundle does not tell its parts. */
export const profile = {
  id: 'PROFILE',
  title: `a round by its parts, ${AT_ONCE} at a time`,
  isApart: true,
  block: 'profile',
  run: async ({ quick, say }) => {
    const found = []
    for (const scene of SCENES) {
      say(scene.name)
      found.push(await look(scene, quick ? 1_000 : 8_000))
    }
    const percent = (share) => `${(100 * share).toFixed(1)} %`
    return {
      lines: [],
      table: [
        ['share of the thread that serves', ...SCENES.map(({ name }) => name)],
        ['µs a round', ...found.map(({ roundUs }) => Math.round(roundUs).toLocaleString('en-US'))],
        ...PART_NAMES.map((part) => [part, ...found.map(({ shares }) => percent(shares[part]))]),
      ],
    }
  },
}

/** What a relay of its own does in a while, once it is warm. */
async function look({ makers, by, ends }, durationMs) {
  const keys = makerKeys(makers)
  const env = {
    QUOTE_REQUEST_TTL_MS: String(TTL_MS),
    MAX_UNFILLED_ORDERS: '0',
    MAKER_API_KEYS: JSON.stringify(keys),
  }
  const relay = await startRelay({ flags: ['--memory', '--no-chain'], env, program: MODULES })
  const load = startWorker('load/quoting-load')
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  try {
    const series = await longestSeries(relay.port)
    await load.call('join', { name: 'all', port: relay.port, makersBy: by, keys, series })
    const play = (ms) => load.call('play', { name: 'all', takerBy: 'poll', ends, durationMs: ms, atOnce: AT_ONCE })
    await play(3 * TTL_MS)
    await load.call('look')
    await relay.call('startProfile')
    const before = await relay.call('mainCpuMs')
    await play(durationMs)
    const cpuMs = (await relay.call('mainCpuMs')) - before
    const file = join(dir, 'relay.cpuprofile')
    await relay.call('stopProfile', file)
    const { count } = await load.call('look')
    return { roundUs: (cpuMs * 1_000 * makers) / count, shares: sharesOf(JSON.parse(readFileSync(file, 'utf8'))) }
  } finally {
    await load.stop()
    await relay.stop()
    rmSync(dir, { recursive: true })
  }
}
