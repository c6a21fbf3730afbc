import { describe, expect, test } from 'vitest'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

type Document = { type: string; maker?: string; [field: string]: unknown }

const documentsOf = (stdout: string): Document[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Simulated makers that run until the returned function ends them. */
function simulate(cwd: string, argv: readonly string[]) {
  const end = new AbortController()
  const written = { stdout: '' }
  let look = () => {}
  const ended = run(['maker', 'simulate', '--json', ...argv], {
    cwd,
    stop: end.signal,
    onStdout: (text) => {
      written.stdout += text
      look()
    },
  })
  /** Resolves when so many documents of a type were written. */
  const wrote = (type: string, count: number) =>
    new Promise<Document[]>((resolve, reject) => {
      look = () => {
        const found = documentsOf(written.stdout).filter((document) => document.type === type)
        if (found.length >= count) resolve(found)
      }
      look()
      ended.then(({ stderr }) => reject(new Error(`it ended: ${stderr}`)), reject)
    })
  const stop = async () => {
    end.abort({ kind: 'signal', signal: 'SIGTERM' })
    return ended
  }
  return { wrote, stop }
}

describe('maker simulate', () => {
  test('refuses an unknown character, and names the known ones', async () => {
    const { code, stderr } = await run(['maker', 'simulate', '--strategy', 'tight,nice'])
    expect(code).toBe(2)
    expect(stderr).toContain('bad-signature')
  })

  test.each(['-1', '1s', ''])('refuses %j as a time to think', async (text) => {
    expect((await run(['maker', 'simulate', '--latency', text])).code).toBe(2)
  })

  test('plays only makers that are not played yet, and refuses when too few are left', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const first = simulate(cwd, ['--count', '3'])
    const names = (await first.wrote('connected', 3)).map(({ maker }) => maker)
    expect(names.toSorted()).toEqual(['maker-1', 'maker-2', 'maker-3'])
    const second = simulate(cwd, ['--strategy', 'tight,late'])
    const others = (await second.wrote('connected', 2)).map(({ maker }) => maker)
    expect(others.toSorted()).toEqual(['maker-4', 'maker-5'])
    const third = await run(['maker', 'simulate', '--json', '--count', '1'], { cwd })
    expect(third).toMatchObject({ code: 5, stdout: '' })
    expect(JSON.parse(third.stderr)).toMatchObject({ code: 'too_few_makers' })
    expect((await second.stop()).code).toBe(0)
    expect((await first.stop()).code).toBe(0)
  })

  test('sums up at the end what each maker did', async () => {
    const cwd = temporaryDir()
    await serveFrom(cwd)
    const makers = simulate(cwd, ['--count', '1', '--strategy', 'tight', '--latency', '0'])
    await makers.wrote('connected', 1)
    const bought = await run(['taker', 'buy', '@1', '--budget', '100', '--wait', '200ms', '--json'], { cwd })
    expect(bought).toMatchObject({ code: 0, stderr: '' })
    await makers.wrote('pnl', 1)
    const [last] = documentsOf((await makers.stop()).stdout).slice(-1)
    const counts = { maker: 'maker-1', style: 'tight', asked: 1, signed: 1, won: 1, total: expect.any(Number) }
    expect(last).toMatchObject({ type: 'summary', makers: [counts] })
  })
})
