import type { ReactNode } from 'react'

/** The page on which one trades. */
export function TradePage(): ReactNode {
  return <main>rfqctl</main>
}
