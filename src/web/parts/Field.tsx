import { type InputHTMLAttributes, type ReactNode, useId } from 'react'

type FieldProps = {
  label: ReactNode
  value: string
  onChange: (value: string) => void
  prefix?: ReactNode
  suffix?: ReactNode
  aside?: ReactNode
  hint?: ReactNode
  error?: string | null
  inputMode?: InputHTMLAttributes<HTMLInputElement>['inputMode']
  type?: 'text' | 'password' | 'search'
  placeholder?: string
  maxLength?: number
}

export function Field(props: FieldProps): ReactNode {
  const { label, value, onChange, prefix, suffix, aside, hint, error } = props
  const id = useId()
  const about = error == null ? hint : error
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      <div className={error == null ? 'field-box' : 'field-box field-box-bad'}>
        {prefix !== undefined && <span className="field-affix">{prefix}</span>}
        <input
          id={id}
          value={value}
          type={props.type ?? 'text'}
          inputMode={props.inputMode}
          placeholder={props.placeholder}
          maxLength={props.maxLength ?? 64}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error == null ? undefined : true}
          aria-describedby={about == null ? undefined : `${id}-about`}
          onChange={({ target }) => onChange(target.value)}
        />
        {suffix !== undefined && <span className="field-affix">{suffix}</span>}
      </div>
      {about != null && (
        <p id={`${id}-about`} className={error == null ? 'field-hint' : 'field-error'}>
          {about}
        </p>
      )}
    </div>
  )
}

type SelectProps<Value extends string> = {
  label: ReactNode
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; text: string }[]
}

export function Select<Value extends string>({ label, value, onChange, options }: SelectProps<Value>): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
      </div>
      <div className="field-box">
        <select id={id} value={value} onChange={({ target }) => onChange(target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

type CheckProps = { label: ReactNode; isChecked: boolean; onChange: (isChecked: boolean) => void }

export const Check = ({ label, isChecked, onChange }: CheckProps): ReactNode => (
  <label className="check">
    <input type="checkbox" checked={isChecked} onChange={({ target }) => onChange(target.checked)} />
    <span>{label}</span>
  </label>
)
