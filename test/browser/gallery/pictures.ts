import { OPERATE_STATES } from '../../web/operate-states.ts'
import { TRADE_STATES } from '../../web/trade-states.ts'

/** A picture of a page: what file names begin with, the page and its state. */
export type Picture = { name: string; page: 'trade' | 'operate'; state: string }

/** What only a page shows, and no state of the dashboard: no one has signed in. */
const SIGN_IN = 'sign in'

export const PICTURES: readonly Picture[] = [
  ...Object.keys(TRADE_STATES).map((state): Picture => ({ name: nameOf('trade', state), page: 'trade', state })),
  ...[SIGN_IN, ...Object.keys(OPERATE_STATES)].map(
    (state): Picture => ({ name: nameOf('operate', state), page: 'operate', state }),
  ),
]

/** `trade-no-quotes-yet` of `no quotes yet`. */
function nameOf(page: Picture['page'], state: string): string {
  const words = state.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return [page, ...words].join('-')
}
