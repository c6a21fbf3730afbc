/** By scheme, as typed. They live as long as the tab, and no other page of the browser sees them. */
export type Credentials = { get: (scheme: string) => string; set: (scheme: string, secret: string) => void }

const PREFIX = 'rfqctl.reference.credential.'

/** Characters; no credential is longer. */
const MAX_LENGTH = 8_192

/** Kept in the session's storage. `onChange` is called after each change, so that other forms show it, too. */
export const createCredentials = (
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  onChange: () => void,
): Credentials => ({
  get: (scheme) => storage.getItem(PREFIX + scheme) ?? '',
  set: (scheme, secret) => {
    if (secret === '') storage.removeItem(PREFIX + scheme)
    else storage.setItem(PREFIX + scheme, secret.slice(0, MAX_LENGTH))
    onChange()
  },
})
