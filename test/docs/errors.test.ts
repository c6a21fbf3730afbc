import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ERRORS, type ErrorCode, errorEntry } from '../../src/domain/errors.ts'
import { STATUS } from '../../src/server/errors.ts'

const TEST = fileURLToPath(new URL('../', import.meta.url))

const CODES = Object.keys(ERRORS) as ErrorCode[]

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

function rowOf(code: ErrorCode): string {
  const { message, hint = '', retryable } = errorEntry(code)
  return row([`\`${code}\``, STATUS[code], message, hint, retryable === true ? 'yes' : ''])
}

const page = (): string =>
  `# Error codes

Every failure is \`{"success": false, "error": ..., "code": ...}\`, whatever refused: the relay, its HTTP server or a broken
request. \`error\` is a sentence for people and may change; \`code\` is for programs and does not. \`hint\` says what to do
and \`retryable\` that trying again can help, where that is known. Three codes stand in \`error\` themselves, with the
sentence in \`detail\`: \`maker_insufficient_balance\`, \`maker_insufficient_allowance\` and \`no_pending_acceptance\`.
The maker WebSocket has no bodies of failure: it closes with 4001 (key), 4029 (too many connections), 1009 (message too
large) or 1001 (shutting down).

This page is made from \`src/domain/errors.ts\`: \`npx vitest run test/docs -u\`.

${[row(['code', 'status', 'error', 'hint', 'retryable']), row(Array(5).fill('---')), ...CODES.map(rowOf)].join('\n')}
`

/** All tests but this one, as one text. */
function allTests(): string {
  return readdirSync(TEST, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /\.(test|suite)\.ts$/.test(name) && !parentPath.endsWith('docs'))
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n')
}

it('the page of error codes says what the table says', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/errors.md')
})

it('every code of the table is produced by a test', () => {
  const tests = allTests()
  expect(CODES.filter((code) => !tests.includes(`'${code}'`))).toEqual([])
})
