import { shortId } from '@rfqctl/lib/format'
import { walletsOf } from '@rfqctl/relay/app/sandbox-file'
import type { Cli } from '../cli.ts'
import { sandboxOf } from './targets.ts'

/** Names of the sandbox's wallets and contracts by address. Empty without a sandbox. */
export function createWalletNames(cli: Cli, options: { dataDir?: string }) {
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
    /** Falls back to a shortened address. */
    of: (address: string): string => nameOf(address) ?? shortId(address),
    /** Adds its name to each known address in a line. */
    explain: (line: string): string =>
      line.replace(/\b0x[\da-fA-F]{40}\b(?! \()/g, (address) => {
        const name = nameOf(address)
        return name === undefined ? address : `${address} (${name})`
      }),
  }
}
