import { expect, test } from 'vitest'
import { wordsOf } from '../help-texts.ts'
import { serveFrom } from '../serving.ts'
import { type Ran, run, temporaryDir } from '../support.ts'
import { normalise, normaliseJson } from './normalise.ts'

/** A day at a market with one maker by hand. It trades what has a final outcome: other prices differ by the hour. Lines of one entry run at the same time, the first one first. */
const SESSION: readonly (readonly [string, ...string[]])[] = [
  ['rfqctl markets list'],
  ['rfqctl series list --market @4'],
  ['rfqctl series get @25'],
  ['rfqctl faucet'],
  ['rfqctl wallet list'],
  ['rfqctl login --dev ada'],
  ['rfqctl keys create --name desk'],
  ['rfqctl keys list'],
  ['rfqctl keys revoke @1'],
  ['rfqctl taker request @25 --budget 10'],
  ['rfqctl taker quotes'],
  ['rfqctl maker quote --price 0.05 --size 1000'],
  ['rfqctl maker quote --price 0.04 --size 1000'],
  ['rfqctl maker status'],
  ['rfqctl taker quotes'],
  ['rfqctl maker quote --price 0.9 --size 1000'],
  ['rfqctl maker confirm --wait 1m', 'rfqctl taker commit'],
  ['rfqctl taker commit'],
  ['rfqctl taker fill'],
  ['rfqctl taker fill'],
  ['rfqctl tx explain'],
  ['rfqctl audit'],
  ['rfqctl taker request @26 --size 50'],
  ['rfqctl maker quote --price 0.05 --size 40 --account maker-2'],
  ['rfqctl maker decline --wait 1m --account maker-2 --reason moved', 'rfqctl taker commit'],
  ['rfqctl taker cancel'],
  ['rfqctl settle prepare @25'],
  ['rfqctl chain warp 11m'],
  ['rfqctl settle prepare @25'],
  ['rfqctl settle submit @25'],
  ['rfqctl taker positions'],
  ['rfqctl claim'],
  ['rfqctl claim --account maker-1'],
  ['rfqctl settle review list'],
  ['rfqctl doctor'],
]

/** What a person sees to before going on, since the relay hears of it from the chain. */
const THEN: Readonly<Record<string, (cwd: string) => Promise<void>>> = {
  'rfqctl settle submit @25': (cwd) =>
    expect
      .poll(async () => JSON.parse((await run(['taker', 'positions', '--json'], { cwd })).stdout).positions)
      .toContainEqual(expect.objectContaining({ claimableUsd: 25 })),
}

/** Runs the session in a market of its own; what each line printed, on either stream. */
async function session(form: (ran: Ran, cwd: string) => string, more: readonly string[]): Promise<string> {
  const cwd = temporaryDir()
  // A maker by hand needs a moment to be there: the maker that is asked is not passed over meanwhile.
  const environment = { MAKER_OFFLINE_GRACE_MS: '20000', MAKER_CONFIRMATION_MS: '30000', PORT: '0' }
  await serveFrom(cwd, { hasChain: true, environment })
  const told: string[] = []
  for (const lines of SESSION) {
    const rans = await Promise.all(
      lines.map((line) => run([...wordsOf(line).slice(1), ...more], { cwd, environment: { PORT: '0' } })),
    )
    for (const [index, ran] of rans.entries()) {
      const line = [lines[index], ...more].join(' ')
      told.push(`$ ${line}\n${form(ran, cwd)}${ran.code === 0 ? '' : `[exit code ${ran.code}]\n`}`)
    }
    await THEN[lines[0]]?.(cwd)
  }
  return told.join('\n')
}

const forPeople = ({ stdout, stderr }: Ran, cwd: string): string => normalise(`${stdout}${stderr}`, cwd)

const forPrograms = ({ stdout, stderr }: Ran, cwd: string): string =>
  `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${normaliseJson(line, cwd)}\n`)
    .join('')

test('a day at the market, as people read it', async () => {
  await expect(await session(forPeople, [])).toMatchFileSnapshot('__snapshots__/people.txt')
})

test('a day at the market, as programs read it', async () => {
  await expect(await session(forPrograms, ['--json'])).toMatchFileSnapshot('__snapshots__/programs.txt')
})
