import { describe, expect, test } from 'vitest'
import { linkAbort, onAbort, unlessAborted } from '../../src/lib/abort.ts'

describe('a linked abort', () => {
  test('follows its parent, with the parent’s reason', () => {
    const parent = new AbortController()
    const child = linkAbort(parent.signal)
    const reason = new Error('enough')
    parent.abort(reason)
    expect(child.signal.reason).toBe(reason)
    expect(linkAbort(parent.signal).signal.reason).toBe(reason)
  })

  test('aborts alone, and follows no more once released', () => {
    const parent = new AbortController()
    const child = linkAbort(parent.signal)
    const other = linkAbort(parent.signal)
    child.abort()
    other.release()
    expect(parent.signal.aborted).toBe(false)
    parent.abort()
    expect(other.signal.aborted).toBe(false)
  })

  test('can have a thousand siblings without a warning of a leak', async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => warnings.push(warning)
    process.on('warning', hear)
    const parent = new AbortController()
    const children = Array.from({ length: 1_000 }, () => linkAbort(parent.signal))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', hear)
    expect(warnings).toEqual([])
    parent.abort()
    expect(children.every(({ signal }) => signal.aborted)).toBe(true)
  })
})

describe('a listener to an abort', () => {
  test('runs once, and not after it was released', () => {
    const controller = new AbortController()
    let runs = 0
    onAbort(controller.signal, () => (runs += 1))
    const release = onAbort(controller.signal, () => (runs += 100))
    release()
    controller.abort()
    controller.abort()
    expect(runs).toBe(1)
  })
})

describe('a promise that an abort does not wait for', () => {
  test('rejects with the reason when the abort comes first', async () => {
    const controller = new AbortController()
    const never = new Promise<void>(() => {})
    const waiting = unlessAborted(never, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(unlessAborted(never, controller.signal)).rejects.toThrow('enough')
  })

  test('resolves as it is when it comes first', async () => {
    expect(await unlessAborted(Promise.resolve(3), new AbortController().signal)).toBe(3)
    expect(await unlessAborted(Promise.resolve(3), undefined)).toBe(3)
  })
})
