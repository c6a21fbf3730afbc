import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/lib/exit.ts'
import { DEFINITIONS, SETTING_NAMES } from '../../src/relay/config/definitions.ts'
import { commandLines } from '../cli/help-texts.ts'
import { run } from '../cli/support.ts'
import { ROOT } from '../kit/build.ts'

const read = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8')

const DEPLOY = join(ROOT, 'docs', 'deploy')
const FILES = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(join(DEPLOY, name)).isFile(),
)

/** A command line as a unit or an alert has it: it ends with the line, a sentence or a quote. */
const COMMAND = /\brfqctl (?:serve|signer|settle|chain|audit)\b[^'`".;#\n]*(?:\.sock[^\n]*)?/g

/** Variables of other programs. */
const OF_OTHERS = [
  'NODE_ENV',
  'RFQCTL_KEYSTORE_PASSWORD_FILE',
  'POSTGRES_USER',
  'POSTGRES_PASSWORD_FILE',
  'GF_SECURITY_ADMIN_PASSWORD',
  'GF_ANALYTICS_REPORTING_ENABLED',
  'GF_ANALYTICS_CHECK_FOR_UPDATES',
]

describe('files for operators', () => {
  test('a unit starts no relay again whose settings or store are at fault, and waits for its drain', () => {
    const unit = read('deploy/rfqctl.service')
    expect(unit).toContain(`RestartPreventExitStatus=${EXIT.usage} ${EXIT.corrupt}\n`)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20)
  })

  test('nginx holds connections longer than a ping takes, and gives its own up before the relay does', () => {
    const site = read('deploy/nginx.conf')
    expect(site).toContain('proxy_buffering off;')
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(site)?.[1])).toBeGreaterThan(60)
    const kept = [/keepalive_timeout (\d+)s;/.exec(site), /keepalive (\d+)s\n/.exec(read('deploy/Caddyfile'))]
    for (const found of kept) expect(Number(found?.[1]) * 1_000).toBeLessThan(DEFINITIONS.KEEP_ALIVE_MS.fallback)
  })

  test('nginx sends to a second node, after a first one had it, only what acts once however often it is sent', () => {
    const again = /location ~ (\S+) \{\n[^}]*non_idempotent;/.exec(read('deploy/nginx.conf'))?.[1] ?? ''
    const isSentAgain = (path: string) => new RegExp(again).test(path)
    const once = [
      '/quote-requests/a/commit',
      '/quote-requests/a/cancel',
      '/v1/mm/quotes/a/confirm',
      '/v1/mm/quotes/a/decline',
    ]
    expect(once.filter((path) => !isSentAgain(path))).toEqual([])
    const others = ['/quote-requests', '/v1/mm/quotes', '/v1/user/api-keys', '/faucet', '/settlement/prepare']
    expect(others.filter(isSentAgain)).toEqual([])
  })

  test('have people or machines run commands with options that exist', async () => {
    const lines = FILES.flatMap((name) => read(`deploy/${name}`).replaceAll('\\\n', ' ').match(COMMAND) ?? [])
    expect(lines.length).toBeGreaterThan(4)
    const paths = (await commandLines()).map(({ path }) => path).toSorted((a, b) => b.length - a.length)
    for (const line of lines) {
      const typed = line.replace(/^rfqctl /, '')
      const path = paths.find((candidate) => candidate !== '' && `${typed} `.startsWith(`${candidate} `))
      const { stdout: help } = await run([...(path ?? line).split(' '), '--help'])
      expect((typed.match(/--[a-z-]+/g) ?? []).filter((option) => !help.includes(option))).toEqual([])
    }
  })

  test.each(FILES)('%s names settings that there are', (name) => {
    const named = read(`deploy/${name}`).match(/\b(?!AF_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []
    const known = new Set<string>([...SETTING_NAMES, ...OF_OTHERS])
    expect(named.filter((setting) => !known.has(setting))).toEqual([])
  })
})
