import { CliError } from '../lib/cli-error.ts'

/** Flags that people try for a private key. Everybody on the machine can read a flag (fault K1). */
const KEY_FLAG =
  /^--?(?:private-?key|priv-?key|secret-?key|signer-?key|wallet-?key|mnemonic|seed-phrase|key|pk)(?:=|$)/i

/** Refuses a command line that names a private key. The refusal does not repeat it. */
export function refuseKeyFlags(argv: readonly string[]): void {
  const index = argv.findIndex((word) => KEY_FLAG.test(word))
  if (index === -1) return
  throw new CliError('private keys are not accepted on the command line', {
    why: ['every program on this machine can read one there, and the shell keeps it in its history'],
    hint: 'use --account NAME, --key-file PATH or --key-stdin, and stop using this key',
  })
}
