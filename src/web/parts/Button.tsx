import type { MouseEventHandler, ReactNode } from 'react'

export type ButtonProps = {
  children: ReactNode
  /** A screen has exactly one primary button: the next step. */
  kind?: 'primary' | 'secondary' | 'quiet'
  size?: 'small' | 'normal' | 'large'
  isBusy?: boolean
  isDisabled?: boolean
  onPress?: MouseEventHandler<HTMLButtonElement>
  type?: 'button' | 'submit'
  label?: string
}

export function Button(props: ButtonProps): ReactNode {
  const { children, kind = 'secondary', size = 'normal', isBusy = false, isDisabled = false, type = 'button' } = props
  const sized = size === 'normal' ? '' : ` button-${size}`
  return (
    <button
      type={type}
      className={`button button-${kind}${sized}`}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy || undefined}
      aria-label={props.label}
      onClick={props.onPress}
    >
      {isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}
