/** What a relay says of itself at `/metrics`. */
export type Vitals = { heapBytes: number; descriptors: number }

/** How long an answer may take. */
const TIMEOUT_MS = 5_000

/** Reads the vitals of a relay. Fails when it does not answer, or is none of ours. */
export async function readVitals(url: string): Promise<Vitals> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const text = await answer.text()
  return {
    heapBytes: figureOf(text, 'rfqctl_nodejs_heap_size_used_bytes'),
    descriptors: figureOf(text, 'rfqctl_process_open_fds'),
  }
}

function figureOf(exposition: string, name: string): number {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(exposition)?.[1]
  if (value === undefined) throw new Error(`the relay tells no ${name}`)
  return Number(value)
}
