import type { BlockDecision, Store } from '../../../relay/ports/store.ts'
import type { Database } from './database.ts'

/** The makers that operators have shut out. */
export const createBlocks = ({ query }: Database): Store['blocks'] => ({
  decide: async (decision) => {
    await query(
      'insert into blocks values ($1, $2, $3) on conflict (maker_id) do update set at = excluded.at, body = excluded.body',
      [decision.makerId, decision.at, decision],
    )
  },
  list: async () =>
    (await query<{ body: BlockDecision }>('select body from blocks order by at')).map(({ body }) => body),
})
