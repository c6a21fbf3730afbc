import type { CommittedTrade } from '../../client/index.ts'
import { commitmentJson } from '../../client/to-json.ts'
import { duration, priceText } from '../../lib/format.ts'
import { saveRequest } from '../context/saved-requests.ts'
import { dataDirOf } from '../context/targets.ts'
import type { Player } from './player.ts'
import type { Race } from './race.ts'
import { scenarioFailed } from './scenario.ts'
import type { Stage } from './stage.ts'

/** Longer than a commit asks all of its candidates by default, milliseconds. */
export const COMMIT_MS = 60_000

/**
 * Commits without a price limit, so that the next best may sign at its own price, and sees that another maker than the
 * winner of the race signed. `told` is what must have been told before that. Refuses with `scenario_failed` otherwise.
 */
export async function fallBack(
  stage: Stage,
  { opened, shown, villain }: Omit<Race, 'villain'> & { villain: Pick<Player, 'name' | 'makerId'> },
  told: Promise<void> = Promise.resolve(),
): Promise<CommittedTrade> {
  const { taker, narrator, cli, options, signal } = stage
  const startedAt = Date.now()
  const { request, saved } = opened
  narrator.tell(
    'committing',
    { requestId: request.requestId },
    `the taker commits; ${villain.name} won, so it is asked first`,
  )
  const committing = taker.commitToBestQuote({ request, shown, limitPrice: null, minContracts: null, signal })
  const signed = committing.then((commitment) => ({ commitment, tookMs: Date.now() - startedAt }))
  const [{ commitment, tookMs }] = await Promise.all([signed, told])
  saveRequest(dataDirOf(cli, options), { ...saved, commitment })
  const { execution, quote } = commitment
  if (execution.makerId === villain.makerId) {
    throw scenarioFailed(`${villain.name} signed after all`)
  }
  narrator.tell(
    'committed',
    { ...commitmentJson(commitment), passedOver: villain.makerId, tookMs },
    `fallback: ${execution.makerId} signed ${quote.fillContracts} at ${priceText(quote.price)} instead, ${duration(tookMs)} after the commit`,
  )
  return commitment
}
