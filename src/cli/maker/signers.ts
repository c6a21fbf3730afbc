import type { Address } from '@rfqctl/client/index'
import { CliError } from '@rfqctl/lib/cli-error'
import { duration } from '@rfqctl/lib/format'
import { addressIn } from '../context/address-in.ts'
import { atText } from '../send/chosen-series.ts'
import { nothingToDo, type Sender, type SendOptions, sendingOwn } from '../send/send.ts'

type AuthorizeOptions = SendOptions & { for: number }

/** The expiry is by the clock of the chain. */
export const authorize = sendingOwn<AuthorizeOptions, [signer: string]>(async (sender, cli, options, text) => {
  const { calls, address, authority } = sender
  const signer = signerIn(text, address)
  const before = await untilOf(sender, signer, cli.stop)
  const until = authority.time + Math.floor(options.for / 1_000)
  const at = atText(until, authority.time)
  return {
    type: 'signer_authorized',
    act: `let ${signer} sign orders until ${at}`,
    holders: [],
    facts: [
      ['signs for', address],
      ['now', before === null ? 'it may not' : `it may until ${atText(before, authority.time)}`],
      ['it can', 'sell options against the collateral of this wallet, and buy with its dollars, at any price'],
      ['it cannot', 'transfer, approve, claim, cancel or fill anything'],
      ['lapses', `in ${duration(options.for)}`],
      ['undone by', `rfqctl maker revoke ${signer}, at once`],
    ],
    data: { wallet: address, signer, until },
    calls: [calls.authorizeSigner({ signer, until })],
    done: `${signer} signs orders for ${address} until ${at}`,
    next: `rfqctl maker quote --account NAME --maker ${address}, with the wallet of that key`,
  }
})

/** Also voids every order that the key has signed. */
export const revoke = sendingOwn<SendOptions, [signer: string]>(async (sender, cli, _options, text) => {
  const { calls, address } = sender
  const signer = signerIn(text, address)
  if ((await untilOf(sender, signer, cli.stop)) === null) throw nothingToDo(`${signer} signs no orders for ${address}`)
  return {
    type: 'signer_revoked',
    act: `end that ${signer} signs orders`,
    holders: [],
    facts: [
      ['signs for', address],
      ['then', 'orders that it has signed can no longer be filled'],
      ['undone by', `rfqctl maker authorize ${signer} --for 30d`],
    ],
    data: { wallet: address, signer },
    calls: [calls.revokeSigner({ signer })],
    done: `${signer} signs no more orders for ${address}`,
    // A leaked key is revoked in a hurry, and a wrong revocation is undone by authorizing again.
    asks: false,
  }
})

const untilOf = ({ client }: Sender, signer: Address, signal: AbortSignal): Promise<number | null> =>
  client.getSignerUntil({ signer, signal })

function signerIn(text: string, wallet: Address): Address {
  const signer = addressIn('SIGNER', text)
  if (signer !== wallet) return signer
  throw new CliError('a wallet signs for itself without being authorised', {
    code: 'signer_invalid',
    hint: 'name the address of another key',
  })
}
