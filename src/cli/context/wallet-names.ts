import { shortId } from '@rfqctl/lib/format'
import { walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { sandboxOf } from './targets.ts'

/** How people call addresses: the sandbox's wallets and contracts by name. */
export type WalletNames = {
  /** The name of an address, or the start of an address that has none. */
  of: (address: string) => string
  /** A line with the name behind each address that has one. */
  explain: (line: string) => string
}

/** The names of the sandbox; none without one. */
export function createWalletNames(cli: Cli, options: { dataDir?: string }): WalletNames {
  const sandbox = sandboxOf(cli, options)
  const named =
    sandbox === null
      ? []
      : [
          ...walletsOf(sandbox).map(({ name, address }) => [address, name] as const),
          [sandbox.coreAddress, 'the core contract'] as const,
          [sandbox.settlementAddress, 'the settlement contract'] as const,
        ]
  const names = new Map(named.map(([address, name]) => [address.toLowerCase(), name]))
  const nameOf = (address: string) => names.get(address.toLowerCase())
  return {
    of: (address) => nameOf(address) ?? shortId(address),
    explain: (line) =>
      line.replace(/\b0x[\da-fA-F]{40}\b(?! \()/g, (address) => {
        const name = nameOf(address)
        return name === undefined ? address : `${address} (${name})`
      }),
  }
}
