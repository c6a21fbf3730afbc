import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './parts/parts.css'

/** The relay serves this shell at each address of a page. A page is loaded alone: neither brings the code of the other. */
async function pageAt(path: string) {
  if (path !== '/desk') return (await import('./trade/TradePage.tsx')).TradePage
  document.title = 'rfqctl operate'
  return (await import('./operate/OperatePage.tsx')).OperatePage
}

const root = document.getElementById('root')
const Page = await pageAt(location.pathname)
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  )
