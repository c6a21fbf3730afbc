import type { Command } from '../dashboard/keys.ts'
import type { Action, DashboardStore } from '../dashboard/state.ts'

/** The views' actions, the same from frame to frame. Their results are in the state. */
export type OperateAct = ReturnType<typeof createOperateAct>

export function createOperateAct({ dispatch }: Pick<DashboardStore, 'dispatch'>, signOut: () => void) {
  const act = {
    dispatch: (action: Action): void => dispatch(action),
    copy: (id: string): void => void copied(id).then((text) => dispatch({ kind: 'notice', text })),
    /** Forgets the token. */
    signOut,
    /** The effect of a key. */
    run: (command: Command): void => {
      if (command.kind === 'quit') signOut()
      else if (command.kind === 'copy') act.copy(command.id)
      else dispatch(command.action)
    },
  }
  return act
}

async function copied(id: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(id)
    return `copied: ${id}`
  } catch {
    // A page that came over plain HTTP from elsewhere has no clipboard.
    return `this browser lets the page copy nothing; the id is ${id}`
  }
}
