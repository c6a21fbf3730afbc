import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { disk } from '../../../../src/relay/adapters/store/file/disk.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { compileTs } from '../../../support/compile-ts.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = newFolder()
  path = join(folder, 'file')
})
afterEach(() => removeFolder(folder))

/** The system calls that a piece of work makes on open files, in order. */
async function callsOf(work: () => Promise<void>): Promise<string[]> {
  const calls: string[] = []
  const spies = (['writeSync', 'fsync'] as const).map((name) => {
    const original = fs[name] as (...args: unknown[]) => unknown
    return vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
      calls.push(name)
      return original(...args)
    }) as never)
  })
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return calls
}

describe('the disk', () => {
  it('flushes what it wrote before it answers', async () => {
    expect(await callsOf(() => disk.write(path, Buffer.from('one')))).toEqual(['writeSync', 'fsync'])
    expect(await callsOf(() => disk.writeAt(path, 3, Buffer.from(' two')))).toEqual(['writeSync', 'fsync'])
    expect(await readFile(path, 'utf8')).toBe('one two')
  })

  it('flushes the names of a folder', async () => {
    expect(await callsOf(() => disk.flushDir(folder))).toEqual(['fsync'])
  })

  it('flushes the name of a folder that it made, but not that of one that was there', async () => {
    const dir = join(folder, 'a', 'b')
    expect(await callsOf(() => disk.makeDir(dir))).toEqual(['fsync'])
    expect(await callsOf(() => disk.makeDir(dir))).toEqual([])
  })

  it('writes over from a place on, and empties a file that it writes again', async () => {
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
    await expect(disk.read(folder)).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(disk.rename(path, `${path}.2`)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

const hasLimits = process.platform !== 'win32'

it.skipIf(!hasLimits)('the store writes on when the process has no descriptor left', async () => {
  const { script, remove } = await compileTs(fileURLToPath(new URL('./store-exhausted.ts', import.meta.url)))
  const run = `ulimit -n 1024; exec "${process.execPath}" "${script}" "${folder}"`
  const { stdout, stderr } = spawnSync('sh', ['-c', run], { encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' })
  await remove()
})
