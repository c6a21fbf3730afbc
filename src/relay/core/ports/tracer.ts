/** A step of a trade, as traces name it. */
export type StepName = 'create' | 'quote' | 'commit' | 'ask' | 'tell' | 'confirm' | 'decline'

/** The only facts that a step may carry: the relay's own ids and words, never what a stranger wrote (fault B1). */
export type StepFacts = {
  requestId?: string
  seriesId?: string
  makerId?: string
  quoteId?: string
  acceptanceId?: string
  /** Outcome: a word of the relay's own, or the code of the refusal. */
  outcome?: string
}

/** A step in progress. */
export type Step = {
  /** Parent of the steps below this one, also on other nodes, as W3C's `traceparent`; null without tracing. */
  traceparent: string | null
  note: (facts: StepFacts) => void
}

/**
 * Shows operators how a trade went, step by step and over all nodes. It drops what it cannot keep up with, and no work
 * waits for it or fails by it.
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
 * Does some work as a step of an existing trace: of a request, or of an order that its maker was asked for. Untraced
 * work begins no trace in its middle.
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
