import fs, { type PathLike } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { ResolutionBps } from '../../../src/protocol/domain/units.ts'
import { createSignedPrices } from '../../../src/relay/adapters/signer/signed-prices.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'
import { TERMS } from '../../ports/resolution-signer.suite.ts'

/** The paths that a piece of work flushes, in order. */
async function flushedBy(work: () => Promise<unknown>): Promise<string[]> {
  const opened = new Map<number, string>()
  const flushed: string[] = []
  const { openSync, fsyncSync } = fs
  vi.spyOn(fs, 'openSync').mockImplementation((path: PathLike, ...rest) => {
    const descriptor = openSync(path, ...rest)
    opened.set(descriptor, String(path))
    return descriptor
  })
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    flushed.push(opened.get(descriptor) ?? '')
    fsyncSync(descriptor)
  })
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  }
  return flushed
}

it('a price is found after a power cut, in folders that were made for it by this process or another', async () => {
  const folder = newFolder()
  const dir = join(folder, 'data', 'signer', 'core')
  const folders = [dir, dirname(dir), join(folder, 'data'), folder]
  const prices = createSignedPrices(dir)
  for (const expected of [59, 59]) {
    const flushed = await flushedBy(async () => {
      expect(await prices.agree(TERMS, expected as ResolutionBps)).toBe(expected)
    })
    expect(flushed).toEqual(expect.arrayContaining(folders))
  }
  removeFolder(folder)
})
