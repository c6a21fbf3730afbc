import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOrphan, readRecord, removeRecord, writeRecord } from '../../../src/onchain/devnet/anvil-record.ts'
import { newFolder, removeFolder } from '../../kit/folder.ts'

describe('the record of a running Anvil', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => removeFolder(folder))

  it('is read as it was written, for its owner only, and leaves no other file', () => {
    const record = { pid: 12, port: 8545, ownerPid: 34 }
    writeRecord(folder, { ...record, port: 1 })
    writeRecord(folder, record)
    expect(readRecord(folder)).toEqual(record)
    expect(readdirSync(folder)).toEqual(['anvil.json'])
    expect(statSync(join(folder, 'anvil.json')).mode & 0o777).toBe(0o600)
  })

  it('makes the data dir when it is the first in it', () => {
    writeRecord(join(folder, 'a', 'b'), { pid: 1, port: 2, ownerPid: 3 })
    expect(readRecord(join(folder, 'a', 'b'))).toEqual({ pid: 1, port: 2, ownerPid: 3 })
  })

  it('is absent before it was written and after it was removed', () => {
    expect(readRecord(folder)).toBeNull()
    writeRecord(folder, { pid: 12, port: 8545, ownerPid: 34 })
    removeRecord(folder)
    removeRecord(folder)
    expect(readRecord(folder)).toBeNull()
  })

  it.each([
    '',
    '{"pid":',
    'null',
    '[]',
    '{"pid":"1","port":2,"ownerPid":3}',
    '{"pid":1,"port":2}',
    '{"pid":0,"port":2,"ownerPid":3}',
  ])('is absent when it is broken: %j', (text) => {
    writeFileSync(join(folder, 'anvil.json'), text)
    expect(readRecord(folder)).toBeNull()
  })

  it('points at no orphan when its process is gone, or is another program', () => {
    writeRecord(folder, { pid: 2 ** 30, port: 8545, ownerPid: 2 ** 30 })
    expect(findOrphan(folder)).toBeNull()
    writeRecord(folder, { pid: process.pid, port: 8545, ownerPid: 2 ** 30 })
    expect(findOrphan(folder)).toBeNull()
  })
})
