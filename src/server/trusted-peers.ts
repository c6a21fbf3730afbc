import { BlockList, isIP } from 'node:net'
import type { ServerSettings } from './route-context.ts'

/** Tells the connections of proxies that are trusted, by the addresses they come from, from those of clients. */
export function createTrustedPeers(trustProxy: ServerSettings['trustProxy']): (address: string) => boolean {
  if (typeof trustProxy !== 'string') return () => trustProxy !== false && trustProxy !== 0
  const list = new BlockList()
  for (const entry of trustProxy.split(',')) {
    const [address = '', prefix] = entry.trim().split('/')
    if (isIP(address) === 0) continue
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
