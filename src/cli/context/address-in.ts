import { parseAddress } from '../../domain/address.ts'
import type { Address } from '../../domain/units.ts'
import { CliError } from '../../lib/cli-error.ts'

/** The address of a flag or an argument. */
export function addressIn(name: string, text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  throw new CliError(`${name} is not an address`, {
    why: ['an address is 0x and 40 hex digits, with the right checksum'],
  })
}
