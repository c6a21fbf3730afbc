import type { ErrorCode } from '../../../../src/protocol/domain/errors.ts'
import { type Answer, openBody, startServer, type TestServer } from '../support.ts'

/** Brings the server to refuse with a code, and returns what it said. */
export type Produce = () => Promise<Pick<Answer, 'status' | 'body'>>

export type Producers<Code extends ErrorCode> = Record<Code, Produce>

/** A call to a server of its own. */
export const calling =
  (
    method: string,
    path: string,
    input: Parameters<TestServer['call']>[2] = {},
    options: Parameters<typeof startServer>[0] = {},
  ): Produce =>
  async () =>
    (await startServer(options)).call(method, path, input)

/** The body that opens a request with some fields replaced. */
export function openingWith(fields: { trade?: object; option?: object; wallet?: string }): object {
  const body = openBody()
  return { ...body, ...fields, option: { ...body.option, ...fields.option } }
}

export function parseAnswer(text: string): Pick<Answer, 'status' | 'body'> {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: JSON.parse(body) }
}
