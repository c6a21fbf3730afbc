/** The parts of a browser that hold a token. */
export type TokenPorts = {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  location: Pick<Location, 'hash' | 'pathname' | 'search'>
  history: Pick<History, 'replaceState'>
}

/** Where a tab keeps it until it is closed. */
const KEY = 'rfqctl.operator-token'

/**
 * The operator's token of this tab, or null. One that came in the address (`#token=`) is kept and taken out of the address at
 * once, so that no history, no bookmark and no picture of the screen has it.
 */
export function takeToken({ storage, location, history }: TokenPorts): string | null {
  const given = new URLSearchParams(location.hash.replace(/^#/, '')).get('token')
  if (given !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    if (given !== '') keepToken({ storage }, given)
  }
  return given === null || given === '' ? attempt(() => storage.getItem(KEY)) : given
}

/** Keeps a token for as long as the tab is open; null forgets it. */
export function keepToken({ storage }: Pick<TokenPorts, 'storage'>, token: string | null): void {
  attempt(() => (token === null ? storage.removeItem(KEY) : storage.setItem(KEY, token)))
}

/** A browser may keep nothing for pages: then the token is asked for again. */
function attempt<Result>(run: () => Result): Result | null {
  try {
    return run()
  } catch {
    return null
  }
}
