import type { Outcome, Store } from '../../relay/ports/store.ts'
import { decodeExecution } from './codec.ts'
import type { StoreBase } from './db.ts'
import type { OutcomeEntry } from './journal/outcomes.ts'

/** What became of makers' quotes: confirmed ones are the executions, rejected ones are noted. */
export function createHistory({ clock, db }: StoreBase): Store['history'] {
  return {
    reject: (rejections) => {
      const at = clock.now()
      db.note((draft) => {
        for (const rejection of rejections) draft.append({ kind: 'rejected', rejection, at })
      })
    },
    list: async (query) => {
      await db.flush()
      const entries = db.journal.outcomes(query)
      if (entries === null) return null
      const outcomes = await Promise.all(entries.map(load))
      return outcomes.filter((outcome) => outcome !== null)
    },
  }
}

async function load(entry: OutcomeEntry): Promise<Outcome | null> {
  const { at, quoteId } = entry
  if (entry.status === 'rejected') {
    const row = await entry.load()
    if (row === null) return null
    const { requestId, reason } = row.rejection
    return { status: 'rejected', at, requestId, quoteId, reason }
  }
  const row = await entry.load()
  if (row === null) return null
  const execution = decodeExecution(row.execution)
  return { status: 'confirmed', at, requestId: execution.acceptance.requestId, quoteId, execution }
}
