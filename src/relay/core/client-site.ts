/** The /64 of an IPv6 client, as the server's `bucketOf` writes it; captures the first 48 bits. */
const IPV6_CLIENT = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/

/**
 * Groups the addresses that one subscriber may have at once: an IPv4 address, or the /48 around the /64 that counts as
 * an IPv6 client. Providers give a /48 on request, and it has 65,536 of those.
 */
export function siteOf(clientAddress: string): string {
  const prefix = IPV6_CLIENT.exec(clientAddress)?.[1]
  return prefix === undefined ? clientAddress : `${prefix}::/48`
}
