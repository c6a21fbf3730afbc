import { sealKey } from '../../adapters/keystore.ts'
import { accountOf } from '../../client/from-text.ts'
import type { Hex } from '../../domain/units.ts'
import type { Cli } from '../cli.ts'
import { keepWallet } from './keystores.ts'

/** Keeps a private key under a name and a password, and says where. */
export function keepKey(
  { out }: Cli,
  {
    dataDir,
    name,
    privateKey,
    password,
  }: {
    dataDir: string
    name: string
    privateKey: Hex
    password: string
  },
): void {
  const { address } = accountOf(privateKey)
  out.note(out.colors.dim('encrypting the key'))
  const path = keepWallet(dataDir, name, sealKey({ address, privateKey }, password))
  out.print({ type: 'wallet', name, address, path }, `${out.colors.bold(name)} is ${address}, kept in ${path}`)
  out.note('Without its password, no one can use it, including you. Keep a copy of the file.')
  out.note(`Next: rfqctl faucet --account ${name}`)
}
