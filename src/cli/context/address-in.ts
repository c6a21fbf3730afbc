import { CliError } from '@rfqctl/lib/cli-error'
import { parseAddress } from '@rfqctl/protocol/domain/address'
import type { Address } from '@rfqctl/protocol/domain/units'

export function addressIn(name: string, text: string): Address {
  const address = parseAddress(text)
  if (address !== null) return address
  throw new CliError(`${name} is not an address`, {
    why: ['an address is 0x and 40 hex digits, with the right checksum'],
  })
}
