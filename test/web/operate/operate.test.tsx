import { describe, expect, it } from 'vitest'
import type { DashboardState } from '../../../src/web/dashboard/state.ts'
import { PAGE_ROWS, pageOf } from '../../../src/web/operate/RowTable.tsx'
import { OPERATE_STATES } from '../operate-states.ts'
import { markupOf, textOf } from './face.tsx'

const page = (name: string): string => markupOf(OPERATE_STATES[name] as DashboardState)

describe("the operator's page", () => {
  it('draws a page of rows, says which, and leads to the others', () => {
    const first = page('many requests')
    expect(first.match(/<button[^>]*class="cell-button"/g)).toHaveLength(PAGE_ROWS)
    expect(textOf(first)).toContain(`1-${PAGE_ROWS} of 135`)
    expect(first).toMatch(/disabled=""[^>]*>Previous/)
    expect(textOf(page('many requests, the second page'))).toContain('61-90 of 135')
    expect(pageOf(134, 135)).toEqual({ start: 120, end: 135 })
  })

  it('marks the chosen row, and only that one is in the order of the tab key', () => {
    const markup = page('another request chosen')
    expect(markup.match(/aria-current="true"/g)).toHaveLength(1)
    expect(markup.match(/class="cell-button" tabindex="0"/gi)).toHaveLength(1)
  })

  it('dims what it knew of a relay that is lost, and of no other', () => {
    expect(page('lost')).toContain('class="ops-body stale"')
    expect(page('requests')).not.toContain('stale')
  })

  it('has what strangers wrote as text', () => {
    const markup = page('hostile texts')
    expect(markup).not.toMatch(/<script|<img/)
    expect(textOf(markup)).toContain('<script>alert(1)</script>')
  })

  it('shows how much time is left, and how far a maker can be relied on, as bars', () => {
    expect(page('confirmations').match(/class="bar /g)?.length).toBeGreaterThan(0)
    expect(page('makers').match(/data-column="score"[^>]*>(?:(?!<td).)*class="bar /g)?.length).toBe(3)
  })

  it('draws a course for each side of a request for both', () => {
    const courses = (name: string) =>
      page(name)
        .match(/class="ops-path" d="(M[^"]*)"/)?.[1]
        ?.match(/M/g)?.length
    expect([courses('both sides'), courses('requests')]).toEqual([2, 1])
  })

  it('offers nothing to quit: a tab is closed by its browser', () => {
    for (const state of Object.keys(OPERATE_STATES)) expect(textOf(page(state))).not.toMatch(/\bq quits?\b/)
  })

  it('has no style and no script within it, which its policy would refuse', () => {
    for (const state of Object.keys(OPERATE_STATES))
      expect(page(state)).not.toMatch(/ style=| on[a-z]+=|<script|<style/)
  })
})
