import { type KeyboardEvent, type ReactNode, useId } from 'react'

type ChoiceProps<Value extends string> = {
  label: string
  value: Value
  choices: readonly { value: Value; text: ReactNode }[]
  onChange: (value: Value) => void
}

export function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>): ReactNode {
  const name = useId()
  return (
    <fieldset className="choice">
      <legend className="aloud">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.text}
        </label>
      ))}
    </fieldset>
  )
}

export type Tab<Id extends string> = { id: Id; text: string; count?: number }

type TabsProps<Id extends string> = {
  label: string
  tabs: readonly Tab<Id>[]
  selected: Id
  onSelect: (id: Id) => void
  panelId: string
}

export function Tabs<Id extends string>({ label, tabs, selected, onSelect, panelId }: TabsProps<Id>): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = tabAfter(tabs, selected, event.key)
    if (next === null) return
    event.preventDefault()
    onSelect(next)
    const at = tabs.findIndex(({ id }) => id === next)
    event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=tab]')[at]?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, text, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${panelId}-${id}`}
          className="tab"
          aria-selected={id === selected}
          aria-controls={panelId}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {text}
          {count !== undefined && <span className="count">{count}</span>}
        </button>
      ))}
    </div>
  )
}

export function tabAfter<Id extends string>(tabs: readonly Tab<Id>[], selected: Id, key: string): Id | null {
  const at = tabs.findIndex(({ id }) => id === selected)
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: (at - 1 + tabs.length) % tabs.length,
    ArrowRight: (at + 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }
  const next = steps[key]
  return next === undefined ? null : (tabs[next]?.id ?? null)
}
