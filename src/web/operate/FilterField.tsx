import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { type DashboardState, shownFilter } from '../dashboard/state.ts'
import { filterText, TYPING_HINT } from '../dashboard/views/help.ts'
import { Button } from '../parts/Button.tsx'
import { Icon } from '../parts/Icon.tsx'
import type { OperateAct } from './act.ts'

/** Characters; a longer filter matches nothing. */
const MAX_LENGTH = 100

/** The filter acts while it is typed; Enter keeps it, Escape restores the former rows. */
export function FilterField({ state, act }: { state: DashboardState; act: OperateAct }): ReactNode {
  const ref = useRef<HTMLInputElement>(null)
  const isTyping = state.typing !== null
  // Its key moves the focus here, and a filter that ends releases it.
  useEffect(() => {
    if (isTyping) ref.current?.focus()
    else ref.current?.blur()
  }, [isTyping])
  const type = (text: string | null) => act.dispatch({ kind: 'type', text })
  const keep = (text: string) => act.dispatch({ kind: 'filter', text })
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') keep(shownFilter(state))
    if (key === 'Escape') type(null)
  }
  const only = filterText(state)
  return (
    <div className="ops-filter small">
      {isTyping && <span className="faint ops-filter-hint">{TYPING_HINT}</span>}
      {!isTyping && only !== null && (
        <>
          <span className="warning truncate">{only}</span>
          <Button size="small" onPress={() => keep('')}>
            All
          </Button>
        </>
      )}
      <div className="field-box">
        <Icon name="search" />
        <input
          ref={ref}
          type="search"
          aria-label="Show only rows that contain"
          placeholder="Filter"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_LENGTH}
          value={shownFilter(state)}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => isTyping && keep(shownFilter(state))}
        />
      </div>
    </div>
  )
}
