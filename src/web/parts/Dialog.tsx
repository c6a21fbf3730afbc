import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

type DialogProps = { title: ReactNode; isOpen: boolean; onClose: () => void; children: ReactNode }

/** The browser's own dialog keeps the focus inside, gives it back, and closes with Escape. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (isOpen && dialog?.open === false) dialog.showModal()
    if (!isOpen && dialog?.open === true) dialog.close()
  }, [isOpen])
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={id} onCancel={onCancel}>
      {isOpen && (
        <>
          <div className="dialog-head">
            <h2 id={id}>{title}</h2>
            <Button kind="quiet" size="small" label="Close" onPress={onClose}>
              <Icon name="close" />
            </Button>
          </div>
          <div className="dialog-body stack">{children}</div>
        </>
      )}
    </dialog>
  )
}
