import { createOperatorClient, type OperatorClient, type OperatorFrame } from '@rfqctl/client/operator'
import { CliError } from '@rfqctl/lib/cli-error'
import type { Cli } from '../cli.ts'
import type { Output } from '../terminal/output.ts'
import { dataDirOf, type RelayOptions, relayUrl, sandboxOf, settingValues } from './targets.ts'

/** Like `operatorToken`, but null where it is not known. */
export function knownOperatorToken(cli: Cli, options: { dataDir?: string }): string | null {
  const values = settingValues(cli)
  return values.OPERATOR_TOKEN ?? sandboxOf(cli, options)?.operatorToken ?? null
}

/** The setting, else the token that `serve` left in the data directory. */
export function operatorToken(cli: Cli, options: { dataDir?: string }): string {
  const token = knownOperatorToken(cli, options)
  if (token !== null) return token
  throw new CliError('no operator token found', {
    code: 'no_operator_token',
    why: [`${dataDirOf(cli, options)} has none from serve`],
    hint: 'pass the data directory of serve with --data-dir PATH, or set OPERATOR_TOKEN',
  })
}

export const operatorClient = (cli: Cli, options: RelayOptions): OperatorClient =>
  createOperatorClient({ url: relayUrl(cli, options), token: operatorToken(cli, options) })

/** One event per line as the relay sends it, for programs. */
export async function printFrames(out: Output, frames: AsyncIterable<OperatorFrame>): Promise<void> {
  for await (const { event, id, data } of frames) {
    out.print({ type: event, ...(id === null ? {} : { id: Number(id) }), ...(data as object) }, '')
  }
}
