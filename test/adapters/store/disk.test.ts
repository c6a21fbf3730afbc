import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { disk } from '../../../src/adapters/store/file/disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let path: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder.path, 'file')
})
afterEach(() => folder.remove())

/** The system calls that a piece of work makes on open files, in order. */
async function callsOf(work: () => Promise<void>): Promise<string[]> {
  const probe = await open(folder.path, 'r')
  const handles = Object.getPrototypeOf(probe) as FileHandle & Record<string, (...args: never[]) => unknown>
  await probe.close()
  const calls: string[] = []
  const watched = ['write', 'sync'] as const
  const originals = watched.map((name) => [name, handles[name]] as const)
  for (const [name, original] of originals) {
    Object.assign(handles, {
      [name](this: FileHandle, ...args: never[]) {
        calls.push(name)
        return (original as (...args: never[]) => unknown).apply(this, args)
      },
    })
  }
  await work().finally(() => Object.assign(handles, Object.fromEntries(originals)))
  return calls
}

describe('the disk', () => {
  it('flushes what it wrote before it answers', async () => {
    expect(await callsOf(() => disk.write(path, Buffer.from('one')))).toEqual(['write', 'sync'])
    expect(await callsOf(() => disk.writeAt(path, 3, Buffer.from(' two')))).toEqual(['write', 'sync'])
    expect(await readFile(path, 'utf8')).toBe('one two')
  })

  it('flushes the names of a folder', async () => {
    expect(await callsOf(() => disk.flushDir(folder.path))).toEqual(['sync'])
  })

  it('flushes the name of a folder that it made, but not that of one that was there', async () => {
    const dir = join(folder.path, 'a', 'b')
    expect(await callsOf(() => disk.makeDir(dir))).toEqual(['sync'])
    expect(await callsOf(() => disk.makeDir(dir))).toEqual([])
  })

  it('writes over from a place on, and empties a file that it writes anew', async () => {
    await disk.write(path, Buffer.from('0123456789'))
    await disk.writeAt(path, 4, Buffer.from('xx'))
    expect((await disk.readAt(path, 3, 4)).toString()).toBe('3xx6')
    expect((await disk.readAt(path, 8, 100)).toString()).toBe('89')
    await disk.write(path, Buffer.from('new'))
    expect((await disk.read(path))?.toString()).toBe('new')
  })

  it('has nothing to read or list where nothing is', async () => {
    expect(await disk.read(path)).toBeNull()
    expect(await disk.list(path)).toEqual([])
    await disk.remove(path)
  })

  it("fails with the system's own error", async () => {
    await expect(disk.read(folder.path)).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(disk.rename(path, `${path}.2`)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
