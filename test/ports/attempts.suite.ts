import { describe, expect, it } from 'vitest'
import type { Attempt, AttemptOutcome, Attempts } from '../../src/relay/ports/attempts.ts'

const REFUSED: AttemptOutcome = { kind: 'refused', code: 'no_maker_confirmed', detail: 'Nobody.', data: { asked: 2 } }

function begun(attempt: Attempt) {
  if (attempt.kind !== 'begun') throw new Error(`not begun, but ${attempt.kind}`)
  return attempt
}

async function attemptIdOf(attempts: Attempts, requestId: string): Promise<string> {
  const attempt = await attempts.begin(requestId, 'other terms', null)
  if (attempt.kind !== 'running') throw new Error(`not running, but ${attempt.kind}`)
  return attempt.attemptId
}

/** What is promised of commits that run. `settled` resolves when what listens does so. */
export function describeAttempts(
  name: string,
  create: () => Promise<{ attempts: Attempts; settled: () => Promise<unknown> }>,
): void {
  describe(`${name}: commits that run`, () => {
    it('begins one of a request at a time, and tells the terms of the one that runs', async () => {
      const { attempts } = await create()
      const first = begun(await attempts.begin('one', 'terms', null))
      expect(await attempts.begin('one', 'terms', null)).toMatchObject({ kind: 'running', terms: 'terms' })
      expect(await attempts.begin('one', 'other terms', null)).toMatchObject({ kind: 'running', terms: 'terms' })
      expect([await attempts.isRunning('one'), await first.isHeld()]).toEqual([true, true])
      expect(await attempts.isRunning('two')).toBe(false)
      begun(await attempts.begin('two', 'terms', null))
      await first.end({ kind: 'committed' })
      expect([await attempts.isRunning('one'), await attempts.isRunning('two')]).toEqual([false, true])
    })

    it('begins another one when the last has ended', async () => {
      const { attempts } = await create()
      const first = begun(await attempts.begin('one', 'terms', null))
      await first.end(REFUSED)
      begun(await attempts.begin('one', 'other terms', null))
      expect(await attempts.isRunning('one')).toBe(true)
      expect(await first.isHeld()).toBe(false)
    })

    it('tells who follows one how it ended, and nobody else', async () => {
      const { attempts } = await create()
      const first = begun(await attempts.begin('one', 'terms', null))
      const following = await attemptIdOf(attempts, 'one')
      await first.end(REFUSED)
      expect(await attempts.begin('one', 'terms', following)).toEqual({ kind: 'ended', outcome: REFUSED })
      expect(await attempts.begin('one', 'terms', following)).toEqual({ kind: 'ended', outcome: REFUSED })
      begun(await attempts.begin('one', 'terms', 'another'))
      expect(await attempts.begin('one', 'terms', following)).toMatchObject({ kind: 'running', terms: 'terms' })
    })

    it('says once to each who listens that it is over, and not to who stopped', async () => {
      const { attempts, settled } = await create()
      const heard: string[] = []
      const first = begun(await attempts.begin('one', 'terms', null))
      const following = await attemptIdOf(attempts, 'one')
      attempts.onEnd(following, () => heard.push('first'))
      attempts.onEnd(following, () => heard.push('second'))
      attempts.onEnd(following, () => heard.push('stopped'))()
      await settled()
      await first.end({ kind: 'committed' })
      await expect.poll(() => heard.length).toBe(2)
      await settled()
      expect(heard).toEqual(['first', 'second'])
    })
  })
}
