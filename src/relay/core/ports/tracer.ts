/** A step of a trade, as traces name it. */
export type StepName = 'create' | 'quote' | 'commit' | 'ask' | 'tell' | 'confirm' | 'decline'

/** The only facts that a step may carry: ids of ours and words of ours, never what a stranger wrote (fault B1). */
export type StepFacts = {
  requestId?: string
  seriesId?: string
  makerId?: string
  quoteId?: string
  acceptanceId?: string
  /** What came of it: a word of the relay's own, or the code that it was refused with. */
  outcome?: string
}

/** A step while it goes on. */
export type Step = {
  /** Where steps below this one go on, also on other nodes, as W3C's `traceparent`; null where no one traces. */
  traceparent: string | null
  note: (facts: StepFacts) => void
}

/**
 * What shows operators how a trade went, step by step and over all nodes. It loses what it cannot keep up with, and no work waits for
 * it or fails by it.
 */
export type Tracer = {
  /**
   * Does some work as a step of the trace of `parent`, a `traceparent`, or as the first one of a new trace; `link` is one that the
   * work belongs to as well. Answers as the work does.
   */
  step: <Result>(
    name: StepName,
    about: { parent: string | null; link?: string | null; facts: StepFacts },
    work: (step: Step) => Promise<Result>,
  ) => Promise<Result>
}

const NO_STEP: Step = { traceparent: null, note: () => {} }

/** Traces nothing, and costs nothing. */
export const NO_TRACER: Tracer = { step: (_name, _about, work) => work(NO_STEP) }

/**
 * Does some work as a step of what is traced already: a request, or an order that its maker was asked for. What is not traced begins no
 * trace in its middle.
 */
export const inTrace = <Result>(
  { tracer }: { tracer: Tracer },
  name: StepName,
  { traceparent, ...about }: { traceparent: string | undefined; link?: string | null; facts: StepFacts },
  work: (step: Step) => Promise<Result>,
): Promise<Result> =>
  traceparent === undefined ? work(NO_STEP) : tracer.step(name, { parent: traceparent, ...about }, work)

/** A thing whose further steps are below a step. */
export const within = <Traced extends { traceparent?: string }>(traced: Traced, { traceparent }: Step): Traced =>
  traceparent === null ? traced : { ...traced, traceparent }
