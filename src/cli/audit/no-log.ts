import { CliError } from '@rfqctl/lib/cli-error'

export const noLog = (cause?: unknown): CliError =>
  new CliError('the relay has no transparency log', {
    code: 'not_found',
    hint: 'ask its operator, who switches it on: TRANSPARENCY_LOG=on',
    cause,
  })
