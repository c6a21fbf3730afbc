import type { Store } from '../../relay/ports/store.ts'
import type { StoreBase } from './db.ts'

/** The makers that operators have shut out. */
export const createBlocks = ({ db }: Pick<StoreBase, 'db'>): Store['blocks'] => ({
  decide: (decision) => db.change((draft) => draft.set('blocks', decision.makerId, decision)),
  list: async () => [...db.tables().blocks.values()].sort((a, b) => a.at - b.at),
})
