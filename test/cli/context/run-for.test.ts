import { expect, test } from 'vitest'
import { runFor } from '../../../src/cli/context/run-for.ts'

const endless = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('time that is over ends the work, which is no failure', async () => {
  await runFor(1, new AbortController().signal, endless)
})

test('an abort is a failure, with its reason', async () => {
  const stop = new AbortController()
  const work = runFor(60_000, stop.signal, endless)
  stop.abort('interrupted')
  await expect(work).rejects.toBe('interrupted')
})

test('without a time the work continues until it is stopped', async () => {
  const stop = new AbortController()
  const work = runFor(null, stop.signal, endless)
  stop.abort('interrupted')
  await expect(work).rejects.toBe('interrupted')
})

test('work may choose another time for its end', async () => {
  await runFor(60_000, new AbortController().signal, async (signal, endIn) => {
    endIn(1)
    await endless(signal)
  })
})

test('work that was stopped before it began never begins', async () => {
  const signal = AbortSignal.abort('interrupted')
  await expect(runFor(60_000, signal, async (inner) => inner.throwIfAborted())).rejects.toBe('interrupted')
})

test('a failure of the work is its own', async () => {
  const work = runFor(60_000, new AbortController().signal, async () => {
    throw new Error('broken')
  })
  await expect(work).rejects.toThrow('broken')
})
