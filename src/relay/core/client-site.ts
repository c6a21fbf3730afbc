/** The /64 of an IPv6 client, as `bucketOf` of the server writes it, with its first 48 bits apart. */
const IPV6_CLIENT = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/

/**
 * The addresses that one subscriber may have at once: an IPv4 address, or the /48 around the /64 that counts as an IPv6 client. A /48
 * is what providers give for the asking, and has 65,536 of those.
 */
export function siteOf(clientAddress: string): string {
  const prefix = IPV6_CLIENT.exec(clientAddress)?.[1]
  return prefix === undefined ? clientAddress : `${prefix}::/48`
}
