import { measureDashboard } from '../dashboard/measure.mjs'

const EVENTS_PER_SECOND = 500

/** What the dashboard costs to leave open. */
export const dashboard = {
  id: 'DASHBOARD',
  title: `the dashboard at ${EVENTS_PER_SECOND} events a second`,
  run: async ({ quick, say }) => {
    say('a feed of events, a terminal that only counts')
    const measured = await measureDashboard({ seconds: quick ? 5 : 20, eventsPerSecond: EVENTS_PER_SECOND })
    const line = (what, unit, sample, goal) => ({
      what,
      ours: { name: 'dashboard', unit, samples: [sample] },
      comparator: null,
      ratio: null,
      goal,
    })
    return {
      lines: [
        line('share of a core', '%', measured.coreShare * 100, { atMost: 15 }),
        line('redraws a second', '/s', measured.redrawsPerSecond, { atMost: 10 }),
        line('growth of the heap', 'x', measured.heapEndBytes / measured.heapStartBytes, { atMost: 1.2 }),
        line('resident memory', 'MiB', measured.rssEndBytes / 2 ** 20, null),
      ],
    }
  },
}
