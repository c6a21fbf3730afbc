import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createCleanupStack } from '../../../../src/lib/cleanup-stack.ts'
import { sha256, verifyEd25519 } from '../../../../src/lib/ed25519.ts'
import { decodeEntries } from '../../../../src/protocol/domain/log-tiles.ts'
import { verifyTranscript } from '../../../../src/protocol/domain/transcript.ts'
import type { Address } from '../../../../src/protocol/domain/units.ts'
import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { checkpointIn } from '../../../../src/relay/adapters/transparency/transparency-log.ts'
import { openStore } from '../../../../src/relay/app/open-store.ts'
import { openTransparencyLog } from '../../../../src/relay/app/open-transparency-log.ts'
import type { TranscriptLines } from '../../../../src/relay/core/ports/transparency.ts'
import { newFolder, removeFolder } from '../../../kit/folder.ts'
import { anAcceptance, aRequest } from '../../../ports/store.fixtures.ts'
import { compileTs } from '../../../support/compile-ts.ts'
import { createFakeLog } from '../../../support/fake-log.ts'
import { naive } from '../../../support/oracles/merkle-tree.ts'
import { runAndKill } from '../../../support/run-and-kill.ts'
import type { Shown } from './log-load.ts'

/** More by `npm run deep`. */
const ROUNDS = Number(process.env.RFQCTL_KILL_ROUNDS ?? 5)

/** Then another log begins: each round reads the whole one again. */
const ROUNDS_OF_A_LOG = 20

const { domain } = anAcceptance(aRequest(0), { now: 0 })

/** What a reader of the whole transcript finds wrong. */
function problemsOf(requestId: string, found: TranscriptLines | null): readonly string[] {
  if (found === null) return ['There is no line.']
  const hasTrade = found.lines.some(({ record }) => record.entry?.kind === 'confirmed')
  const ofOrder = { chainId: Number(domain.chainId), settlementAddress: domain.verifyingContract as Address }
  const transcript = { requestId, checkpoint: found.checkpoint, keys: found.keys, domain: hasTrade ? ofOrder : null }
  return verifyTranscript({ ...transcript, leaves: found.lines }, { sha256, verify: verifyEd25519 }).problems
}

it('a relay that is killed again and again has a true history for each promise, and every leaf of each checkpoint', {
  timeout: 120_000 + ROUNDS * 20_000,
}, async () => {
  const { script, remove } = await compileTs(fileURLToPath(new URL('./log-load.ts', import.meta.url)))
  const tools = { clock: createSystemClock(), log: createFakeLog() }
  let dataDir = newFolder()
  let checkpoints = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0 && round % ROUNDS_OF_A_LOG === 0) {
      removeFolder(dataDir)
      dataDir = newFolder()
    }
    const settings = { store: { kind: 'file', dataDir }, bus: { kind: 'local' } } as Parameters<typeof openStore>[0]
    const shown = await runAndKill<Shown>(script, dataDir, 20 + (round % 20) * 45)
    const opened = await openStore(settings, tools)
    const cleanup = createCleanupStack()
    cleanup.defer(opened.store.close)
    const log = await openTransparencyLog({ opened, tools, cleanup })
    await log.advance()
    const newest = checkpointIn((await log.checkpoint()) as string)
    const leaves: Uint8Array[] = []
    for (let index = 0; index * 256 < newest.size; index += 1) {
      const width = Math.min(256, newest.size - index * 256)
      const bundle = (await log.readTile({ level: 'entries', index, width })) as Uint8Array
      leaves.push(...(decodeEntries(bundle) as Uint8Array[]))
    }
    expect(Buffer.from(newest.root)).toEqual(naive.root(leaves))
    const last = shown.findLast((one) => one.kind === 'checkpoint')
    if (last !== undefined) {
      checkpoints += 1
      const { size, root } = checkpointIn(last.note)
      expect(naive.root(leaves.slice(0, size))).toEqual(Buffer.from(root))
    }
    for (const one of shown) {
      if (one.kind === 'checkpoint') continue
      const { requestId } = one
      const found = await log.linesOf(requestId)
      expect(problemsOf(requestId, found), requestId).toEqual([])
      const kinds = found?.lines.map(({ record: { entry } }) => entry?.kind) ?? []
      // An entry that was lost with an ask comes back with the signature, and has its order.
      if (!kinds.includes('confirmed')) expect(kinds, requestId).toContain(one.kind)
      else expect(kinds, requestId).toContain('closed')
      expect(kinds.filter((kind) => kind === 'confirmed').length).toBeLessThanOrEqual(1)
    }
    await cleanup.run()
  }
  expect(checkpoints).toBeGreaterThan(0)
  removeFolder(dataDir)
  await remove()
})
