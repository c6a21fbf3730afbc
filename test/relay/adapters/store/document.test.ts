import { beforeEach, describe, expect, it } from 'vitest'
import { type Contents, createDocument, type Migrations } from '../../../../src/relay/adapters/store/file/document.ts'
import { createFakeDisk, type FakeDisk } from '../../../support/fake-disk.ts'

const PATH = '/data/store.json'
const CONTENTS: Contents = { tables: { nonces: [['0xabc', 7]] }, segments: [], saves: 0 }

let disk: FakeDisk
let events: string[]

beforeEach(() => {
  disk = createFakeDisk()
  events = []
})

const open = (version = 1, migrations: Migrations = {}) =>
  createDocument({
    disk,
    path: PATH,
    onSwitch: () => void events.push('switch'),
    onWritten: (bytes) => events.push(`written ${bytes}`),
    version,
    migrations,
  })

describe('the document of the small tables', () => {
  it('is null before it was ever written, and then what was written last', async () => {
    const document = open()
    expect(await document.read()).toBeNull()
    await document.write({ tables: {}, segments: [], saves: 0 })
    await document.write(CONTENTS)
    expect(await document.read()).toEqual(CONTENTS)
  })

  it('is JSON that says what it is', async () => {
    await open().write(CONTENTS)
    const text = (await disk.read(PATH))?.toString() ?? ''
    expect(JSON.parse(text)).toMatchObject({ format: 'rfqctl-store', version: 1, contents: CONTENTS })
  })

  it('says when a write may hold, and how large it became', async () => {
    await open().write(CONTENTS)
    expect(events).toEqual(['switch', `written ${disk.bytesWritten()}`])
  })

  it('says nothing of holding while it only wrote beside the old one', async () => {
    disk.fail({ at: 1, done: 'half', after: 'recovers' })
    await expect(open().write(CONTENTS)).rejects.toThrow('ENOSPC')
    expect(events).toEqual([])
  })

  it('from an older version is migrated step by step, with a copy of the old file beside it', async () => {
    await open().write(CONTENTS)
    const old = await disk.read(PATH)
    const document = open(3, {
      1: (contents) => ({ ...(contents as Contents), segments: ['from 1'] }),
      2: (contents) => ({ ...(contents as Contents), tables: (contents as Contents).segments }),
    })
    expect(await document.read()).toEqual({ tables: ['from 1'], segments: ['from 1'], saves: 0 })
    expect(await disk.read(`${PATH}.v1.bak`)).toEqual(old)
    expect(await disk.read(PATH)).toEqual(old)
  })

  it('from an older version without a migration is refused', async () => {
    await open().write(CONTENTS)
    await expect(open(2, {}).read()).rejects.toMatchObject({ reason: 'corrupt', message: /cannot migrate/ })
  })
})
