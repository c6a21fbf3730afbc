import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { fixingKey, seriesIdOf } from '../../../../src/protocol/domain/series.ts'
import type { ResolutionBps } from '../../../../src/protocol/domain/units.ts'
import { createCheckpointFile } from '../../../../src/relay/adapters/chain/checkpoint-file.ts'
import type { Checkpoint } from '../../../../src/relay/adapters/chain/indexer.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { CORE, SETTLEMENT } from './fake-node.ts'
import { termsAt } from './terms.ts'

const ORIGIN = { chainId: 80_002, coreAddress: CORE, startBlock: 7 }
const seriesId = seriesIdOf(termsAt(4_500))
const CHECKPOINT: Checkpoint = {
  block: 2n ** 60n,
  readAt: 1_800_000_000_000,
  hash: `0x${'ab'.repeat(32)}`,
  series: new Map([[seriesId, { ...termsAt(4_500), seriesId, halted: true, resolutionBps: null }]]),
  fixings: new Map([
    [fixingKey(termsAt(4_500)), { resolutionBps: 59 as ResolutionBps, finalAt: 7, asOf: 3, isRevocable: true }],
  ]),
}

describe('the file of a checkpoint', () => {
  let path: string
  beforeEach(async () => {
    const folder = newFolder()
    onTestFinished(() => removeFolder(folder))
    path = join(folder, 'data', 'series-index.json')
  })

  it('gives back what was saved, and leaves nothing beside it', async () => {
    const file = createCheckpointFile(path, ORIGIN)
    expect(await file.load()).toBeNull()
    await file.save({ ...CHECKPOINT, block: 1n })
    await file.save(CHECKPOINT)
    expect(await createCheckpointFile(path, ORIGIN).load()).toEqual(CHECKPOINT)
    expect(await readdir(join(path, '..'))).toEqual(['series-index.json'])
  })

  it("is for its owner's eyes, like all of the data directory, whatever a crash left in its place", async () => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(`${path}.new`, 'half', { mode: 0o644 })
    await createCheckpointFile(path, ORIGIN).save(CHECKPOINT)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['chain', { chainId: 1 }],
    ['core', { coreAddress: SETTLEMENT }],
    ['start', { startBlock: 8 }],
  ])('is worth nothing to another %s', async (_, changes) => {
    await createCheckpointFile(path, ORIGIN).save(CHECKPOINT)
    expect(await createCheckpointFile(path, { ...ORIGIN, ...changes }).load()).toBeNull()
  })

  it('is as good as none when it is damaged', async () => {
    const file = createCheckpointFile(path, ORIGIN)
    await file.save(CHECKPOINT)
    const whole = await readFile(path, 'utf8')
    for (const damaged of ['', 'null', '[]', '7', whole.slice(0, -2), whole.replace('rfqctl-series-4', 'x')]) {
      await writeFile(path, damaged)
      expect(await file.load()).toBeNull()
    }
  })

  it('is done without where it cannot be written', async () => {
    await mkdir(join(path, 'in-the-way'), { recursive: true })
    const file = createCheckpointFile(path, ORIGIN)
    await file.save(CHECKPOINT)
    expect(await file.load()).toBeNull()
  })
})
