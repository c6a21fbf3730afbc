import { startWorker } from '../lab/worker.mjs'
import { takeTurns } from '../rounds.mjs'
import { ratios } from '../stats.mjs'

const IN_FLIGHT = 64

/** How many commits share a flush to the disk. */
export const p9 = {
  id: 'P9',
  title: 'durable commits, file store, 64 in flight',
  run: async ({ quick, say }) => {
    const store = startWorker('lab/store')
    try {
      const times = quick ? 300 : 600
      const { bytesEach: bytes } = await store.call('commits', { inFlight: IN_FLIGHT, times })
      say(`${bytes} bytes each`)
      const turns = await takeTurns(quick ? 5 : 21, {
        ours: () => store.call('commits', { inFlight: IN_FLIGHT, times }),
        theirs: () => store.call('flushedWrites', { bytes, times: 60 }),
      })
      const perSecond = turns.ours.map((turn) => turn.perSecond)
      return {
        lines: [
          {
            what: 'commits for each flush',
            ours: { name: 'store', unit: '', samples: turns.ours.map(({ perFlush }) => perFlush) },
            comparator: null,
            ratio: null,
            goal: { atLeast: 20 },
          },
          {
            what: 'commits a second',
            ours: { name: 'store', unit: '/s', samples: perSecond },
            comparator: { name: 'flushed write', unit: '/s', samples: turns.theirs },
            ratio: ratios(perSecond, turns.theirs),
            goal: null,
          },
        ],
        notes: [
          'A trade is four commits, each on disk before the next: request, nonce, acceptance, confirm. Flushes are counted; the comparator writes and flushes the bytes of one commit, one after the other.',
        ],
      }
    } finally {
      await store.stop()
    }
  },
}
