import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles.css'

export function show(page: ReactNode): void {
  const root = document.getElementById('root')
  if (root !== null) createRoot(root).render(<StrictMode>{page}</StrictMode>)
}
