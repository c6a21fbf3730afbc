import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { GASLESS_TAKERS, MAKERS, REASONS, TAKERS } from '../support/wallets/matrix.ts'
import { renewWalletPage } from '../support/wallets/page.ts'

const PAGE = fileURLToPath(new URL('../../docs/guides/wallets.md', import.meta.url))

it('docs/guides/wallets.md shows what the tests of wallets find', async () => {
  await expect(renewWalletPage(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE)
})

it('each reason that the page gives is that of a cell', () => {
  const cells = [MAKERS, TAKERS, GASLESS_TAKERS].flatMap((table) => Object.values(table).flatMap(Object.values))
  const given = new Set(cells.flatMap((cell) => (cell === 'works' ? [] : [cell.no])))
  expect(Object.keys(REASONS).toSorted()).toEqual([...given].toSorted())
})
