/** From an answer out of memory to a commit that tried every candidate, in seconds. */
const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const NAME = 'rfqctl_http_request_seconds'
const HEAD = [
  `# HELP ${NAME} Time from the head of a request to its answer; streams are not counted.`,
  `# TYPE ${NAME} histogram`,
]

type CountAnswer = (answer: { status: number; durationMs: number }) => void

/** `counts` are by bucket, the last one for everything slower. */
type Times = { labels: string; counts: number[]; sumS: number }

/**
 * A histogram of plain numbers for each route and status. Made by hand because every answer is counted (decision 0109): a histogram of prom-client, and a child of one,
 * takes thirty times as long; with the lookup of the route's pattern that was a twentieth of what a quote cost.
 */
export function createAnswerTimes() {
  const counters = new Map<string, CountAnswer>()
  const all: Times[] = []

  function createTimes(labels: string): Times {
    const times = { labels, counts: new Array<number>(BUCKETS_S.length + 1).fill(0), sumS: 0 }
    all.push(times)
    return times
  }

  function createCounter(labels: string): CountAnswer {
    const byStatus = new Map<number, Times>()
    return ({ status, durationMs }) => {
      const times = byStatus.get(status) ?? createTimes(`${labels},status="${status}"`)
      byStatus.set(status, times)
      add(times, durationMs / 1_000)
    }
  }

  return {
    /** Returns the counter of a route, the same one each time. */
    of: ({ method, route }: { method: string; route: string }): CountAnswer => {
      const labels = `method="${method}",route="${route}"`
      const counter = counters.get(labels) ?? createCounter(labels)
      counters.set(labels, counter)
      return counter
    },
    /** In the text format of Prometheus. */
    expose: () => `${[...HEAD, ...all.flatMap(linesOf)].join('\n')}\n`,
  }
}

function add(times: Times, seconds: number): void {
  let bucket = 0
  while (bucket < BUCKETS_S.length && seconds > (BUCKETS_S[bucket] as number)) bucket += 1
  times.counts[bucket] = (times.counts[bucket] as number) + 1
  times.sumS += seconds
}

/** Buckets are cumulative. */
function linesOf({ labels, counts, sumS }: Times): string[] {
  let total = 0
  const buckets = counts.map((count, i) => {
    total += count
    return `${NAME}_bucket{le="${BUCKETS_S[i] ?? '+Inf'}",${labels}} ${total}`
  })
  return [...buckets, `${NAME}_sum{${labels}} ${sumS}`, `${NAME}_count{${labels}} ${total}`]
}
