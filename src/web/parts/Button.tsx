import type { MouseEventHandler, ReactNode, Ref } from 'react'

type ButtonProps = {
  children: ReactNode
  /** A screen has exactly one primary button: the next step. */
  kind?: 'primary' | 'secondary' | 'quiet' | 'danger'
  size?: 'small' | 'normal' | 'large'
  /** The action is under way; the words say so, too. */
  isBusy?: boolean
  isDisabled?: boolean
  onPress?: MouseEventHandler<HTMLButtonElement>
  type?: 'button' | 'submit'
  /** Accessible name, if the words alone are unclear. */
  label?: string
  ref?: Ref<HTMLButtonElement>
}

/** The words say what happens, with the figures. */
export function Button(props: ButtonProps): ReactNode {
  const { children, kind = 'secondary', size = 'normal', isBusy = false, isDisabled = false, type = 'button' } = props
  const sized = size === 'normal' ? '' : ` button-${size}`
  return (
    <button
      ref={props.ref}
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
