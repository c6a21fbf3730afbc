import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; nodes: { target: string[]; failureSummary?: string }[] }

/** What axe-core finds on a page as it is now: a rule of WCAG 2.2 AA or good practice, and where it is broken. */
export async function violationsOn(page: Page): Promise<string[]> {
  // Evaluated and not added as an element: the policy of the pages lets none in.
  await page.evaluate(SOURCE)
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: Violation[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) =>
        `${id}: ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').trim()}`,
    ),
  )
}
