import { expect, test } from 'vitest'
import { wordsOf } from './help-texts.ts'
import { serveFrom } from './serving.ts'
import { run, temporaryDir } from './support.ts'

test('@1 keeps meaning the series that was shown, also when another one has taken the first place', async () => {
  const cwd = temporaryDir()
  await serveFrom(cwd, { hasChain: true })
  const rfqctl = (line: string) => run(wordsOf(line), { cwd })
  const json = async (line: string) => JSON.parse((await rfqctl(`${line} --json`)).stdout)
  const [shown] = (await json('series list')).series
  expect(shown.row).toBe(1)
  // It expires before all others of the first market.
  const created = await json('series create @1 --type call --strike-bps 100 --expires-in 2m')
  expect((await json('series get @1')).seriesId).toBe(shown.seriesId)
  const requested = await rfqctl('taker request @1 --budget 10')
  expect(requested.stderr).toMatch(/^@1 is \S+-c\d+-\S+, in the list of \S+ ago\n/)
  expect((await json('taker request @1 --budget 10')).seriesId).toBe(shown.seriesId)

  await rfqctl('series list')
  expect((await json('taker request @1 --budget 10')).seriesId).toBe(created.seriesId)
  await rfqctl('chain warp 10m')
  await rfqctl('series list --market @1 --type put')
  const hidden = await rfqctl('taker request @1 --budget 10')
  expect(hidden).toMatchObject({ code: 5, stdout: '' })
  expect(hidden.stderr).toMatch(/^error: the list of \S+ ago has no row @1\n.*\n {2}try: rfqctl series list\n$/)
})
