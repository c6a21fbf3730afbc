import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { wordsOf } from '../cli/help-texts.ts'
import { NOWHERE, type Ran, run } from '../cli/support.ts'

const execute = promisify(execFile)

/** What runs until it is told to stop, by its words, with what it says when it is ready. */
const SERVICES: Readonly<Record<string, RegExp>> = {
  serve: /"type":"ready"/,
  'lister run': /the lister/,
  'signer serve': /the signer/,
  'settle run': /the keeper is ready/,
}

/** A terminal of an operator: lines of a page are commands of ours, which run in this process, or the shell's. */
export type OperatorShell = {
  environment: Record<string, string>
  /** Types a line; a service goes on in a terminal of its own. */
  type: (typed: string) => Promise<Ran>
  /** Ends a service as Ctrl-C does, and waits until it has. */
  stop: (service: string) => Promise<void>
  /** What a service has written so far. */
  written: (service: string) => string
}

type Running = { stop: () => Promise<number>; written: () => string }

/** A terminal in a directory, and a person who answers every question with yes. */
export function openOperatorShell(cwd: string, given: Record<string, string>): OperatorShell {
  let environment: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: cwd, LOG_LEVEL: 'silent', ...given }
  const services = new Map<string, Running>()
  onTestFinished(async () => {
    for (const { stop } of services.values()) await stop()
  })

  /** Commands, redirections and variables as a shell has them; what it exports is there for the next line. */
  async function inShell(line: string): Promise<Ran> {
    const script = `set -eu\n${line}\nprintf '\\0'\nexec env -0`
    const { stdout, stderr } = await execute('bash', ['-c', script], { cwd, env: environment })
    const [written = '', ...variables] = stdout.split('\0')
    const ignored = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD'])
    environment = { ...environment }
    for (const variable of variables) {
      const at = variable.indexOf('=')
      if (at > 0 && !ignored.has(variable.slice(0, at))) environment[variable.slice(0, at)] = variable.slice(at + 1)
    }
    return { code: 0, stdout: written, stderr }
  }

  async function rfqctl(line: string): Promise<Ran> {
    const [command = '', file] = line.split(/ > (?=\S+$)/)
    const filled = command.replace(/\$(\w+)/g, (_, name: string) => environment[name] ?? '')
    const argv = wordsOf(filled)
    const service = argv.includes('--once') ? undefined : Object.keys(SERVICES).find((one) => filled.startsWith(one))
    if (service !== undefined) {
      services.set(service, await startService(argv, { cwd, environment, ready: SERVICES[service] as RegExp }))
      return { code: 0, stdout: '', stderr: '' }
    }
    const ran = await run(argv, { cwd, environment, ask: async () => 'yes' })
    if (file !== undefined) writeFileSync(join(cwd, file), ran.stdout)
    return ran
  }

  /** A line in which what our commands print stands in their place, as in "$(rfqctl …)". */
  async function withPrinted(line: string): Promise<string> {
    const [whole, command = ''] = /\$\(rfqctl ([^)]+)\)/.exec(line) ?? []
    return whole === undefined ? line : withPrinted(line.replace(whole, (await rfqctl(command)).stdout.trim()))
  }

  return {
    get environment() {
      return environment
    },
    type: async (typed) => {
      const line = await withPrinted(typed.replace(/\s+#.*$/, ''))
      return line.startsWith('rfqctl ') ? rfqctl(line.slice('rfqctl '.length)) : inShell(line)
    },
    stop: async (service) => {
      const running = services.get(service)
      expect(running, `${service} runs`).toBeDefined()
      services.delete(service)
      expect(await running?.stop()).toBe(0)
    },
    written: (service) => services.get(service)?.written() ?? '',
  }
}

/** Starts what runs until it is stopped; resolves when it says that it is ready. */
function startService(
  argv: readonly string[],
  { cwd, environment, ready }: { cwd: string; environment: Record<string, string>; ready: RegExp },
): Promise<Running> {
  const controller = new AbortController()
  let written = ''
  return new Promise((resolve, reject) => {
    const write = (text: string) => {
      written += text
      if (ready.test(written)) resolve({ stop, written: () => written })
    }
    // A relay in production has nothing for people to say, and a line for programs when it is ready.
    const ended = runCli(argv[0] === 'serve' ? [...argv, '--json'] : argv, {
      stdout: { write },
      stderr: { write },
      environment,
      cwd,
      stop: controller.signal,
      defaults: NOWHERE,
      readStdin: async () => '',
    })
    const stop = async () => {
      controller.abort({ kind: 'signal', signal: 'SIGTERM' })
      return ended
    }
    ended.then((code) => reject(new Error(`${argv.join(' ')} ended with ${code}: ${written}`)), reject)
  })
}

/** The calls of a batch that a command printed into a file. */
export function readBatch(path: string): { to: `0x${string}`; data: `0x${string}` }[] {
  const { transactions } = JSON.parse(readFileSync(path, 'utf8'))
  return transactions.map(({ to, data }: { to: `0x${string}`; data: `0x${string}` }) => ({ to, data }))
}
