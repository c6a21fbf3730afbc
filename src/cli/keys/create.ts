import { safeText } from '../../domain/safe-text.ts'
import type { Run } from '../cli.ts'
import type { RelayOptions } from '../context/targets.ts'
import { accountClient } from '../login/session.ts'
import { keyJson } from './key-json.ts'

/** Makes a maker key. Its secret is the whole of stdout, so that it can go straight to where it is kept. */
export const run: Run<RelayOptions & { name?: string }> = async (cli, options) => {
  const { name } = options
  const input = { signal: cli.stop, ...(name === undefined ? {} : { name }) }
  const { key, apiKey } = await accountClient(cli, options).createApiKey(input)
  cli.out.print({ type: 'api_key', key, apiKey: keyJson(apiKey) }, key)
  const label = apiKey.name === '' ? '' : ` "${safeText(apiKey.name)}"`
  cli.out.note(`The key${label} is shown only this once. Makers send it as X-API-Key.`)
  cli.out.note('Next: RFQCTL_API_KEY=... rfqctl maker stream')
}
