/** Shorter parts of an address, such as `v2`, may well occur in a text by themselves. */
const MIN_SECRET_LENGTH = 5

/**
 * Removes from a text all secrets of an address: path, query, user and password, whole and part by part. A provider's
 * key may be any of them, and the server may repeat it. Without an address the text stays as it is.
 */
export function createAddressMask(address: string | undefined): (text: string) => string {
  if (address === undefined || !URL.canParse(address)) return (text) => text
  const parts = secretsOf(new URL(address))
  if (parts.length === 0) return (text) => text
  // Longest first: replacing a shorter part of it first would leave the rest.
  const longestFirst = parts.toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map((part) => part.replace(/[^\w]/g, '\\$&')).join('|'), 'gi')
  return (text) => text.replace(pattern, '[address]')
}

/** Both encoded, as in the address, and decoded. */
function secretsOf({ pathname, search, searchParams, username, password }: URL): string[] {
  const credentials = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')
  const parts = [
    ...[pathname, search.slice(1), ...pathname.split('/'), ...search.slice(1).split(/[&=]/), ...searchParams.values()],
    ...[username, password, credentials],
  ]
  const spellings = new Set(parts.flatMap((part) => [part, decode(part)]))
  return [...spellings].filter((part) => part.length >= MIN_SECRET_LENGTH)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
