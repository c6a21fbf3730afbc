import { describe, expect, it } from 'vitest'
import { createBudget, createWindow } from '../../src/lib/limits.ts'

describe('a window', () => {
  it('has room again when the oldest leaves it', () => {
    const window = createWindow({ max: 2, withinMs: 1_000 })
    window.add('a', 0)
    window.add('a', 400)
    expect(window.waitMs('a', 500)).toBe(500)
    expect(window.waitMs('a', 999)).toBe(1)
    expect(window.waitMs('a', 1_000)).toBe(0)
    window.add('a', 1_000)
    expect(window.waitMs('a', 1_000)).toBe(400)
  })

  it('takes back what did not come to be', () => {
    const window = createWindow({ max: 1, withinMs: 1_000 })
    const undo = window.add('a', 0)
    undo()
    expect(window.waitMs('a', 1)).toBe(0)
    window.add('a', 1)
    undo()
    expect(window.waitMs('a', 1)).toBe(1_000)
  })

  it('counts each name by itself', () => {
    const window = createWindow({ max: 1, withinMs: 1_000 })
    window.add('a', 0)
    expect([window.waitMs('a', 1), window.waitMs('b', 1)]).toEqual([999, 0])
  })

  it('still counts what is within it after others were forgotten', () => {
    const window = createWindow({ max: 1, withinMs: 1_000 })
    window.add('a', 900)
    window.add('b', 1_000)
    expect(window.waitMs('a', 1_000)).toBe(900)
  })
})

describe('a budget', () => {
  it('counts what is held until it is settled, and forgets it after a while', () => {
    const budget = createBudget({ withinMs: 1_000 })
    const settle = budget.hold(100n, 0)
    budget.hold(7n, 500)
    expect(budget.used(500)).toBe(107n)
    settle(30n)
    expect([budget.used(999), budget.used(1_000), budget.used(1_500)]).toEqual([37n, 7n, 0n])
  })
})
