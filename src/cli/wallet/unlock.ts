import { type EncryptedKey, openKey } from '../../adapters/keystore.ts'
import type { Hex } from '../../domain/units.ts'
import { CliError } from '../../lib/cli-error.ts'
import { EXIT } from '../../lib/exit.ts'
import type { Cli } from '../cli.ts'
import { askPassword, givenPassword, noPassword, pipedPassword } from './password.ts'

/** How often a person may mistype, as at a login (fault K2). */
const TRIES = 3

/** An encrypted key, with the name of its place for messages; stdin has no password where it had the keystore. */
export type LockedKey = { keystore: EncryptedKey; place: string; isStdinTaken: boolean }

/** An opened keystore. */
export type UnlockedKey = { privateKey: Hex; password: string }

/** Opens a keystore: by the given password, by one that is typed at the terminal in three tries, or by that of stdin. */
export async function unlock(cli: Cli, locked: LockedKey): Promise<UnlockedKey> {
  const given = givenPassword(cli)
  const open = (password: string) => openWith(cli, locked, password)
  if (given !== null) return open(given) ?? refuse(locked)
  if (cli.askSecret !== undefined) return unlockByHand({ ...cli, askSecret: cli.askSecret }, locked)
  if (locked.isStdinTaken) throw noPassword()
  return open(await pipedPassword(cli)) ?? refuse(locked)
}

async function unlockByHand(cli: Cli & Required<Pick<Cli, 'askSecret'>>, locked: LockedKey): Promise<UnlockedKey> {
  for (let tries = 1; ; tries += 1) {
    const opened = openWith(cli, locked, await askPassword(cli.askSecret, `Password of ${locked.place}: `))
    if (opened !== null) return opened
    if (tries === TRIES) return refuse(locked)
    cli.out.note('wrong password')
  }
}

/** To guess is made to take seconds, and so does this. */
function openWith({ out }: Cli, { keystore }: LockedKey, password: string): UnlockedKey | null {
  out.note(out.colors.dim('opening the key'))
  const privateKey = openKey(keystore, password)
  return privateKey === null ? null : { privateKey, password }
}

function refuse({ place }: LockedKey): never {
  throw new CliError(`wrong password for ${place}`, {
    code: 'wrong_password',
    exitCode: EXIT.unauthorized,
    why: ['or its file was damaged: the two look the same'],
    hint: 'try again, or list the wallets: rfqctl wallet list',
  })
}
