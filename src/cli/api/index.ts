import { Argument, type Command } from 'commander'
import type { Run } from '../cli.ts'
import { type Attach, withExamples } from '../declare/command.ts'

/** Declares `api`. */
export function addApiCommand(program: Command, attach: Attach): void {
  const api = program.command('api').description("Print the relay's API documents, for code generators")
  const document = new Argument('<document>', 'openapi: HTTP; asyncapi: streams and socket').choices([
    'openapi',
    'asyncapi',
  ])
  api.addArgument(document)
  attach(withExamples(api, 'rfqctl api openapi'), async () => printDocument)
}

/** Prints a document of the API, as a relay serves it; no relay is needed. */
const printDocument: Run<Record<string, never>, ['openapi' | 'asyncapi']> = async (cli, _, name) => {
  const { describeApi } = await import('../../server/openapi/describe.ts')
  const document = (await describeApi())[name]
  cli.out.print(document, JSON.stringify(document, null, 2))
}
