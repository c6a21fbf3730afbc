import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import './parts/styles.css'

/** Who trades has no use for what operators load, nor they for his. */
const Page = lazy(() =>
  location.pathname === '/desk'
    ? import('./operate/OperatePage.tsx').then(({ OperatePage }) => ({ default: OperatePage }))
    : import('./trade/TradePage.tsx').then(({ TradePage }) => ({ default: TradePage })),
)

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Suspense fallback={null}>
        <Page />
      </Suspense>
    </StrictMode>,
  )
