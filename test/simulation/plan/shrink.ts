import type { Action, Plan } from './plan.ts'

/**
 * The shortest plan that still fails, as far as it is found within so many runs: parts of its actions are left out, first large ones,
 * then small ones (delta debugging).
 */
export async function shrink(
  plan: Plan,
  { fails, runs }: { fails: (plan: Plan) => Promise<boolean>; runs: number },
): Promise<Plan> {
  let { actions } = plan
  let left = runs
  let parts = 2
  const attempt = async (fewer: readonly Action[]): Promise<boolean> => {
    if (left === 0) return false
    left -= 1
    return fails({ ...plan, minutes: 0, actions: fewer })
  }

  while (left > 0 && actions.length > 1) {
    const size = Math.ceil(actions.length / parts)
    let isShorter = false
    for (let from = 0; from < actions.length && left > 0; from += size) {
      const fewer = [...actions.slice(0, from), ...actions.slice(from + size)]
      if (!(await attempt(fewer))) continue
      actions = fewer
      isShorter = true
      from -= size
    }
    if (!isShorter && size === 1) break
    parts = isShorter ? Math.max(2, parts - 1) : Math.min(actions.length, parts * 2)
  }
  return { ...plan, minutes: 0, actions }
}
