import { median } from './stats.mjs'

/** What a goal looks at. */
export const judged = ({ ours, ratio }) => median(ratio ?? ours.samples)

/** Whether the goal of a line is met; null when it has none. What could not be measured is not met. */
export function isMet(line) {
  const { goal } = line
  if (goal === null) return null
  const value = judged(line)
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
