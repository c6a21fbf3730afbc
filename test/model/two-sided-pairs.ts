import fc from 'fast-check'
import type { AuditEntry } from '../../src/protocol/domain/audit.ts'
import type { Side } from '../../src/protocol/domain/request.ts'
import * as messageWire from '../../src/protocol/wire/maker-messages.ts'
import * as streamWire from '../../src/protocol/wire/maker-stream.ts'
import { encodeSseFrame } from '../../src/protocol/wire/sse.ts'
import type { MakerEvent, MakerMessage } from '../../src/relay/core/ports/live.ts'
import { refusal } from '../support/test-relay.ts'
import type { Heard, Told } from '../support/told-apart.ts'
import { answerAsked, commitOn, lastingQuotes, makerSteps, openBoth, releases, type Step } from './commands.ts'
import { connectSocket, connectStream } from './connections.ts'
import { MAKERS } from './makers.ts'
import { createWorld, type World } from './world.ts'

/** A story of one request for both sides: all but the side of its commit. */
type Story = {
  /** The order in which answers arrive. */
  seed: number
  namesWallet: boolean
  isProven: boolean
  /** Before the commit, in any order of answers; beside it, each with all that follows. */
  before: readonly Step[]
  beside: Step | null
  after: readonly (Step | 'declines')[]
  isSigned: boolean
}

export const stories: fc.Arbitrary<Story> = fc.record({
  seed: fc.integer({ min: 0 }),
  namesWallet: fc.boolean(),
  isProven: fc.boolean(),
  before: fc
    .tuple(
      lastingQuotes,
      fc.array(fc.oneof({ arbitrary: makerSteps, weight: 3 }, { arbitrary: releases, weight: 1 }), { maxLength: 5 }),
    )
    .map(([quotes, rest]) => [...quotes, ...rest]),
  beside: fc.option(makerSteps),
  after: fc.array(
    fc.oneof({ arbitrary: makerSteps, weight: 2 }, { arbitrary: fc.constant('declines' as const), weight: 1 }),
    { maxLength: 4 },
  ),
  isSigned: fc.nat(3).map((n) => n > 0),
})

/** What makers and a stranger hear when the story is told, committed to on that side; null: nobody commits. */
export async function tell(story: Story, side: Side | null): Promise<Told> {
  const [scheduler] = fc.sample(fc.scheduler(), { seed: story.seed, numRuns: 1 }) as [fc.Scheduler]
  const world = createWorld(scheduler, { suspends: false })
  const heard: Heard[] = []
  const askedIn = new Map<string, number>()
  let step = 0
  let orderedIn: number | null = null
  const hear = (who: string, way: string, text: string): void => {
    if (world.trace.signed.length === 0) heard.push({ step, who, way, text })
  }
  world.heard = (maker, way, what) => hear(maker, way, textOf(way, what))
  for (const maker of MAKERS) {
    connectSocket(world, maker)
    connectStream(world, maker, { resumes: false })
  }
  await drain(world)
  const request = await openBoth(world, story.namesWallet)

  /** Nothing moves any more: who was asked, and what everybody can read, is looked at, and another step begins. */
  async function endStep(): Promise<void> {
    await drain(world)
    for (const makerId of world.trace.audit.flatMap(chosenIn)) if (!askedIn.has(makerId)) askedIn.set(makerId, step)
    if (world.trace.signed.length > 0) orderedIn ??= step
    else await lookAround()
    step += 1
  }

  async function lookAround(): Promise<void> {
    const { relay } = world
    for (const makerId of MAKERS) {
      const page = { makerId, after: null, since: null, status: null, limit: 100 } as const
      const reads = {
        book: relay.makerBook(makerId),
        past: relay.makerHistory(page),
        standing: relay.makerStanding(makerId),
      }
      for (const [what, read] of Object.entries(reads))
        read.then((answer) => hear(makerId, `its ${what}`, jsonOf(answer)))
    }
    const { requestId } = request
    const poll = refusal(relay.readRequest({ requestId, takerSecret: null }))
    void poll.then((code) => hear('a stranger', 'its poll', code))
    await drain(world)
  }

  for (const one of story.before) await one.run(world)
  await endStep()
  if (side !== null) commitOn(world, request, { side, isProven: story.isProven })
  await story.beside?.run(world)
  await endStep()
  for (const one of story.after) {
    if (one === 'declines') answerAsked(world, 'declines')
    else await one.run(world)
    await endStep()
  }
  if (story.isSigned) answerAsked(world, 'signs')
  await endStep()
  return { heard, askedIn, orderedIn }
}

/** Lets everything go that is held back, as the world does, in fewer turns. */
async function drain({ scheduler, clock }: World): Promise<void> {
  do {
    await clock.advance(0)
    while (scheduler.count() > 0) {
      await scheduler.waitOne()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await clock.advance(0)
  } while (scheduler.count() > 0)
}

/** The maker whose quote a commit has held, to ask it if it is there: a quote that is held can be neither changed nor withdrawn. */
const chosenIn = (entry: AuditEntry): string[] =>
  entry.kind === 'ranked'
    ? entry.quotes.flatMap(({ makerId, quoteId }) => (quoteId === entry.chosen ? [makerId] : []))
    : []

/** As the wire has it, where it has a form of its own. */
function textOf(way: string, what: unknown): string {
  if (way === 'socket') return JSON.stringify(messageWire.encodePostTrade(what as MakerMessage, true))
  if (way !== 'stream') return what instanceof Error ? `${jsonOf(what)} ${what.message}` : jsonOf(what)
  const event = what as MakerEvent
  return encodeSseFrame(
    event.kind === 'quote_request'
      ? streamWire.quoteRequestFrame(event.id, event.request)
      : streamWire.quoteRequestExpiredFrame(event.id, event.requestId),
  )
}

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'nothing'
