import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createLogClient, RelayError, type TranscriptCredential } from '@rfqctl/client/index'
import type { Cli, Run } from '../cli.ts'
import { operatorToken } from '../context/operator.ts'
import { findSavedRequest } from '../context/saved-requests.ts'
import { type RelayOptions, relayUrl } from '../context/targets.ts'
import { WHOLE_ID } from './audit.ts'
import { noLog } from './no-log.ts'

/** Saves the transcript of a request: by the taker's secret for one of this folder, else by an API key, else as the operator. */
export const run: Run<RelayOptions & { out?: string }, [request?: string]> = async (cli, options, text) => {
  const { requestId, credential } = findReader(cli, options, text)
  const log = createLogClient({ url: relayUrl(cli, options) })
  const file = await log.getTranscript({ requestId, credential, signal: cli.stop }).catch((fault: unknown) => {
    throw fault instanceof RelayError && fault.code === 'not_found' ? noLog(fault) : fault
  })
  const path = resolve(cli.cwd, options.out ?? `${requestId}.transcript.json`)
  writeFileSync(path, file, { mode: 0o600 })
  cli.out.print({ type: 'transcript', requestId, path }, path)
  cli.out.note(`verify it, here or elsewhere: rfqctl audit verify ${path}`)
}

function findReader(
  cli: Cli,
  options: RelayOptions,
  text: string | undefined,
): { requestId: string; credential: TranscriptCredential } {
  if (text === undefined || !WHOLE_ID.test(text)) {
    const { requestId, takerSecret } = findSavedRequest(cli, options, text).request
    return { requestId, credential: { takerSecret } }
  }
  const apiKey = cli.environment.RFQCTL_API_KEY
  const credential = apiKey === undefined ? { operatorToken: operatorToken(cli, options) } : { apiKey }
  return { requestId: text, credential }
}
