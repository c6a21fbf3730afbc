/** What a relay says of itself at `/metrics`. `cpuS`: seconds of processor time that it has taken so far. */
export type Vitals = { residentBytes: number; descriptors: number; cpuS: number }

/** How much of what is no exposition is shown. */
const SHOWN = 200

/** The vitals of a relay in what `/metrics` tells. Fails when it is none of ours. */
export function parseVitals(exposition: string): Vitals {
  const figureOf = (name: string): number => {
    const value = new RegExp(`^rfqctl_${name} (\\S+)$`, 'm').exec(exposition)?.[1]
    if (value === undefined) throw new Error(`the relay has no metric ${name}: ${exposition.slice(0, SHOWN)}`)
    return Number(value)
  }
  return {
    residentBytes: figureOf('process_resident_memory_bytes'),
    descriptors: figureOf('process_open_fds'),
    cpuS: figureOf('process_cpu_seconds_total'),
  }
}
