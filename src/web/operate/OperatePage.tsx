import type { ReactNode } from 'react'

/** The page on which a relay's operator watches it. */
export function OperatePage(): ReactNode {
  return <main>rfqctl</main>
}
