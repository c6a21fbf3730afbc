import { describeApi } from '../../server/openapi/describe.ts'
import type { Run } from '../cli.ts'

/** Prints a document of the API, as a relay serves it; no relay is needed. */
export const run: Run<Record<string, never>, ['openapi' | 'asyncapi']> = async (cli, _, name) => {
  const document = (await describeApi())[name]
  cli.out.print(document, JSON.stringify(document, null, 2))
}
