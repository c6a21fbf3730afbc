import { type ReactNode, useId } from 'react'
import { GLOSSARY, type GlossaryWord } from './glossary.ts'

/** A word that explains itself when it is pressed. The browser's own popover closes with Escape, and by a press elsewhere. */
export function Word({ of, children = of }: { of: GlossaryWord; children?: ReactNode }): ReactNode {
  const id = useId()
  return (
    <>
      <button type="button" className="word" popoverTarget={id}>
        {children}
      </button>
      <span id={id} popover="auto" className="word-meaning">
        {GLOSSARY[of]}
      </span>
    </>
  )
}
