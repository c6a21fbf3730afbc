import { Argument, type Command } from 'commander'
import type { Attach } from '../declare/command.ts'

export function addApiCommand(program: Command, attach: Attach): void {
  const api = program.command('api').description("Print the relay's API documents, for code generators")
  const document = new Argument('<document>', 'openapi: HTTP; asyncapi: streams and socket').choices([
    'openapi',
    'asyncapi',
  ])
  api.addArgument(document)
  attach(api, () => import('./api.ts'), 'run', ['rfqctl api openapi'])
}
