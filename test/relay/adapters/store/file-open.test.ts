import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withoutTexts } from '../../../../src/protocol/domain/request.ts'
import { VERSION } from '../../../../src/relay/adapters/store/file/document.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import { corrupt, StoreOpenError } from '../../../../src/relay/adapters/store/open-error.ts'
import type { Store } from '../../../../src/relay/core/ports/store.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { anAcceptance, aRequest, SIGNATURE } from '../../../ports/store.fixtures.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

const clock = createFakeClock()
const NOW = clock.now()

let dir: string
let folder: string
let document: string
let segments: string

beforeEach(async () => {
  folder = newFolder()
  dir = join(folder, 'data')
  document = join(dir, 'store.json')
  segments = join(dir, 'segments')
})
afterEach(() => removeFolder(folder))

const open = () => createFileStore({ dir, clock, log: createFakeLog() })

/** Fills a store with a committed request, a cancelled one and an open one, and closes it. */
async function fill() {
  const store = await open()
  const [committed, cancelled, waiting] = [aRequest(NOW), aRequest(NOW), aRequest(NOW)]
  for (const request of [committed, cancelled, waiting]) await store.requests.insert(request)
  const acceptance = { ...anAcceptance(committed, { now: NOW }), proven: true as const }
  await store.acceptances.insert(acceptance)
  await store.acceptances.confirm(acceptance.acceptanceId, { executionId: 'execution', signature: SIGNATURE })
  await store.requests.close(cancelled.requestId, 'cancelled')
  await store.close()
  return { committed, cancelled, waiting, acceptance, nonceStart: 0 }
}

/** Opening fails as corrupt, names the file, and leaves every file as it was. */
async function expectRefusal(path: string, message: RegExp, hint = 'rfqctl db restore'): Promise<void> {
  const before = await snapshot()
  const error = await open().then(
    (store: Store) => store.close(),
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(StoreOpenError)
  expect(error).toMatchObject({
    reason: 'corrupt',
    path,
    hint: expect.stringContaining(hint),
  })
  expect(error.message).toMatch(message)
  expect(error.message).toContain(path)
  expect(await snapshot()).toEqual(before)
}

async function snapshot(): Promise<Record<string, string>> {
  const paths = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = paths.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'base64')])))
}

describe('a file store that is opened again', () => {
  it('has everything that it had', async () => {
    const { committed, cancelled, waiting, acceptance } = await fill()
    const store = await open()
    expect(await store.requests.listOpen()).toEqual([waiting])
    expect(await store.requests.find(cancelled.requestId)).toEqual({
      request: withoutTexts(cancelled),
      status: 'cancelled',
    })
    expect(await store.requests.find(committed.requestId)).toEqual({ request: committed, status: 'committed' })
    expect(await store.acceptances.findByQuote(acceptance.quoteId)).toEqual({ ...acceptance, state: 'confirmed' })
    await store.close()
  })

  it('counts its starts, and continues from another base of nonces, but a request keeps its own (decision C7)', async () => {
    const first = await open()
    expect(first.epoch).toBe(1)
    const wallet = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
    const nonce = await first.allotNonce('request-1', wallet)
    await first.close()
    const second = await open()
    expect(second.epoch).toBe(2)
    expect(await second.allotNonce('request-1', wallet)).toBe(nonce)
    const next = await second.allotNonce('request-2', wallet)
    expect(Math.abs(next - nonce)).toBeGreaterThan(1)
    expect(await second.allotNonce('request-3', wallet)).toBe(next + 1)
    await second.close()
  })

  it('gives no nonce and no epoch twice when a copy of its folder is put back, and refuses an older store.json (decisions C7 and M1)', async () => {
    const wallet = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
    const time = createFakeClock()
    const [nonces, epochs]: [number[], number[]] = [[], []]
    /** As often as a relay may start again within a minute. */
    const serve = async (count: number) => {
      await time.advance(60_000)
      const store = await createFileStore({ dir, clock: time, log: createFakeLog() })
      epochs.push(store.epoch)
      for (let i = 0; i < count; i += 1) {
        const request = aRequest(NOW)
        await store.requests.insert(request)
        const nonce = await store.allotNonce(request.requestId, wallet)
        nonces.push(nonce)
        await store.acceptances.insert(anAcceptance(request, { now: NOW, nonce }))
      }
      await store.close()
    }
    await serve(2)
    const copy = join(folder, 'copy')
    await cp(dir, copy, { recursive: true })
    await serve(5)
    await serve(1)
    await rm(dir, { recursive: true })
    await cp(copy, dir, { recursive: true })
    await serve(5)
    await cp(join(copy, 'store.json'), document)
    await expectRefusal(document, /is older than its segments/)
    expect(new Set(nonces).size).toBe(nonces.length)
    expect(new Set(epochs).size).toBe(epochs.length)
  })

  it('keeps all files to their owner', async () => {
    await fill()
    const modes = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    expect(await modes(dir)).toBe('700')
    expect(await modes(segments)).toBe('700')
    expect(await modes(document)).toBe('600')
    for (const name of await readdir(segments)) expect(await modes(join(segments, name))).toBe('600')
  })

  it('leaves no lock and no temporary file when it is closed', async () => {
    await fill()
    expect((await readdir(dir)).sort()).toEqual(['segments', 'store.json'])
  })

  it('takes no change once it is closed', async () => {
    const store = await open()
    await store.close()
    await expect(store.requests.insert(aRequest(NOW))).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('a damaged store is refused and left as it is', () => {
  it.each([
    { what: 'empty', contents: '', message: /is empty/ },
    { what: 'cut off', contents: '{"format":"rfqctl-store","version":1,"sha', message: /does not parse/ },
    { what: 'an array, which lowdb would take for data', contents: '[]', message: /not an rfqctl store/ },
    { what: 'null', contents: 'null', message: /not an rfqctl store/ },
    { what: 'the file of another program', contents: '{"posts":[]}', message: /not an rfqctl store/ },
    { what: 'without a version', contents: '{"format":"rfqctl-store"}', message: /no format version/ },
    {
      what: 'edited by hand',
      contents: '{"format":"rfqctl-store","version":1,"sha256":"00","contents":{"tables":{},"segments":[]}}',
      message: /checksum/,
    },
  ])('when its document is $what', async ({ contents, message }) => {
    await fill()
    await writeFile(document, contents)
    await expectRefusal(document, message)
  })

  it('when its document is of a newer version, and the way out is the newer program', async () => {
    await fill()
    const contents = `{"format":"rfqctl-store","version":${VERSION + 1},"sha256":"","contents":{}}`
    await writeFile(document, contents)
    const fault = new RegExp(`format ${VERSION + 1}, written by a newer rfqctl; this one reads up to ${VERSION}`)
    await expectRefusal(document, fault, 'start the newer rfqctl')
  })

  it('when its document is cut off anywhere', async () => {
    await fill()
    const { length } = await readFile(document)
    for (let left = length - 2; left >= 0; left -= Math.ceil(length / 40)) {
      await truncate(document, left)
      await expectRefusal(document, /is empty|does not parse/)
    }
  })

  it('when a bit of its document is flipped, wherever it is', async () => {
    await open().then((store) => store.close())
    const good = await readFile(document)
    for (let at = 0; at < good.length; at += 5) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] as number) ^ (1 << (at % 8))
      await writeFile(document, bad)
      await expectRefusal(document, /./)
    }
  })

  it('when a bit of a segment is flipped, wherever it is', async () => {
    await fill()
    const path = join(segments, 'executions-000001.ndjson')
    const good = await readFile(path)
    for (let at = 0; at < good.length; at += 23) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] as number) ^ (1 << (at % 8))
      await writeFile(path, bad)
      await expectRefusal(path, /is damaged/)
    }
  })

  it('when a segment is cut short or gone', async () => {
    await fill()
    const path = join(segments, 'closed-000001.ndjson')
    await truncate(path, 10)
    await expectRefusal(path, /truncated: 10 of \d+ bytes/)
    await rm(path)
    await expectRefusal(path, /is missing/)
  })

  it('when its document is gone but its segments are there: it never starts empty', async () => {
    await fill()
    await rm(document)
    await expectRefusal(document, /is missing, but its segments are there/)
  })

  it('and can be opened again once the good file is back', async () => {
    await fill()
    const good = await readFile(document)
    await writeFile(document, '[]')
    await expectRefusal(document, /not an rfqctl store/)
    await writeFile(document, good)
    const store = await open()
    expect(await store.requests.listOpen()).toHaveLength(1)
    await store.close()
  })
})

describe('traces of a crash', () => {
  it('is cut off: a torn line after the last one that counts', async () => {
    const { committed } = await fill()
    const path = join(segments, 'executions-000001.ndjson')
    const good = await readFile(path)
    await writeFile(path, Buffer.concat([good, good.subarray(0, 100)]))
    await writeFile(join(segments, 'prices-000001.ndjson'), '{"torn')
    await writeFile(`${document}.tmp`, '{"torn')
    const store = await open()
    expect(await store.executions.findByRequest(committed.requestId)).toMatchObject({ executionId: 'execution' })
    expect(await readFile(path)).toEqual(good)
    expect(await readdir(segments)).not.toContain('prices-000001.ndjson')
    expect(await readdir(dir)).not.toContain('store.json.tmp')
    await store.close()
  })

  it('does not include files of others', async () => {
    await mkdir(segments, { recursive: true })
    await fill()
    await writeFile(join(segments, 'notes.txt'), 'mine')
    await open().then((store) => store.close())
    expect(await readFile(join(segments, 'notes.txt'), 'utf8')).toBe('mine')
  })
})

it('says what is wrong, where, that nothing was changed, and what to do', () => {
  expect(corrupt('/data/store.json', 'is empty').message).toBe(
    '/data/store.json is empty. The file was left unchanged.',
  )
})
