import { attempt } from '../parts/attempt.ts'

export type TokenPorts = {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState'>
}

const KEY = 'rfqctl.operator-token'

/**
 * The operator's token of this tab, or null. A token in the address (`#token=`) is kept and removed from the address at
 * once, so that no history, bookmark or picture of the screen has it.
 */
export function takeToken({ storage, location, history }: TokenPorts): string | null {
  const given = new URLSearchParams(location.hash.replace(/^#/, '')).get('token')
  if (given !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    if (given !== '') keepToken({ storage }, given)
  }
  return given === null || given === '' ? attempt(() => storage.getItem(KEY)) : given
}

/** For as long as the tab is open, if the browser keeps anything for pages; null forgets the token. */
export function keepToken({ storage }: Pick<TokenPorts, 'storage'>, token: string | null): void {
  attempt(() => (token === null ? storage.removeItem(KEY) : storage.setItem(KEY, token)))
}
