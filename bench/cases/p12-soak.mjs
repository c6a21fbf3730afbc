import { spawnSync } from 'node:child_process'
import { BIN } from '../lab/relay.mjs'

/** Whether a relay that has run for ten minutes is as it was after one; `rfqctl soak` says what is looked at. */
export const p12 = {
  id: 'P12',
  title: 'soak: 200 makers, 50 rounds a second',
  /** Too long for a run of all: it must be named. */
  isApart: true,
  run: async ({ quick, say }) => {
    const time = quick ? '30s' : '10m'
    say(`rfqctl soak --for ${time}`)
    const { stdout, stderr } = spawnSync(process.execPath, [BIN, 'soak', '--for', time, '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const summary = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .find(({ type }) => type === 'soak')
    if (summary === undefined) throw new Error(stderr)
    const { requests, faults, uneven, windows } = summary
    const each = (figure) => windows.map(figure)
    const told = (what, unit, samples, goal = null) => ({
      what,
      ours: { name: 'relay', unit, samples },
      comparator: null,
      ratio: null,
      goal,
    })
    return {
      lines: [
        told('faults seen on the wire', '', [faults], { atMost: 0 }),
        told('what did not stay flat', '', [uneven.length], { atMost: 0 }),
        told('requests', '', [requests]),
        told(
          'p99 of a commit, by windows',
          'ms',
          each(({ p99Ms }) => p99Ms),
        ),
        told(
          'heap, by windows',
          'MiB',
          each(({ heapBytes }) => heapBytes / 2 ** 20),
        ),
        told(
          'descriptors, by windows',
          '',
          each(({ descriptors }) => descriptors),
        ),
      ],
      notes: uneven,
    }
  },
}
