import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readWebFiles } from '../../../src/relay/app/web-files.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'

const MANIFEST = {
  'index.html': { file: 'assets/index-a.js', css: ['assets/index-a.css'], imports: ['_shared.js'] },
  '_shared.js': { file: 'assets/shared-b.js', css: ['assets/shared-b.css'], imports: ['_other.js'] },
  '_other.js': { file: 'assets/other-c.js', imports: ['_shared.js'] },
  'reference/main.ts': { file: 'assets/main-d.js', css: ['assets/main-d.css'], imports: ['_other.js'] },
}

function folderOfTest(): string {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A folder as the build leaves it. */
function built(manifest: object): string {
  const folder = folderOfTest()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  for (const name of ['index-a.js', 'index-a.css', 'picture.svg', 'index-a.js.map', 'notes.txt']) {
    for (const end of ['', '.gz', '.br']) writeFileSync(join(folder, 'assets', `${name}${end}`), `${name}${end}`)
  }
  return folder
}

test('the pages are read with what they load, each file as it is and compressed, and nothing else of the folder', () => {
  const files = readWebFiles(built(MANIFEST))
  expect(files?.page.toString()).toBe('<!doctype html>')
  expect([...(files?.assets.keys() ?? [])].sort()).toEqual(['index-a.css', 'index-a.js', 'picture.svg'])
  const { type, bytes, gzip, brotli } = files?.assets.get('index-a.js') ?? {}
  expect([type, ...[bytes, gzip, brotli].map(String)]).toEqual([
    'text/javascript; charset=utf-8',
    ...['index-a.js', 'index-a.js.gz', 'index-a.js.br'],
  ])
})

test('the reference page loads its script, and the styles of all that this imports, also where parts import each other', () => {
  expect(readWebFiles(built(MANIFEST))?.reference).toEqual({
    scripts: ['/web/assets/main-d.js'],
    styles: ['/web/assets/shared-b.css', '/web/assets/main-d.css'],
  })
  expect(readWebFiles(built({}))?.reference).toEqual({ scripts: [], styles: [] })
})

test('is an empty list where nothing was built', () => {
  expect(readWebFiles(join(folderOfTest(), 'web'))).toBeNull()
})
