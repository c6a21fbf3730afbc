import type { Outcome, Store } from '../../relay/ports/store.ts'
import { decodeExecution } from './codec.ts'
import type { StoreBase } from './db.ts'
import type { OutcomeRow } from './journal/outcomes.ts'

/** What became of makers' quotes: confirmed ones are the executions, rejected ones are noted. */
export function createHistory({ clock, db }: StoreBase): Store['history'] {
  return {
    reject: (requestId, rejections) => {
      const at = clock.now()
      db.note((draft) => {
        for (const rejection of rejections) draft.append({ kind: 'rejected', rejection, at })
        draft.append({ kind: 'told', requestId })
      })
    },
    list: async (query) => {
      await db.flush()
      const rows = await db.journal.outcomes(query)
      return rows?.map(outcomeOf) ?? null
    },
  }
}

function outcomeOf(row: OutcomeRow): Outcome {
  if (row.kind === 'rejected') {
    const { requestId, quoteId, reason } = row.rejection
    return { status: 'rejected', at: row.at, requestId, quoteId, reason }
  }
  const execution = decodeExecution(row.execution)
  const { requestId, quoteId } = execution.acceptance
  return { status: 'confirmed', at: execution.executedAt, requestId, quoteId, execution }
}
