import { createRoot } from 'react-dom/client'
import '../../../src/web/parts/parts.css'
import { SAMPLES } from './samples.tsx'

// `/?state=<name>` draws that sample; without one, all are listed.
const name = new URLSearchParams(location.search).get('state')
const sample = SAMPLES.find((one) => one.name === name)
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    sample?.draw() ?? (
      <main id="main">
        <h1>Every state of the pages</h1>
        <ul>
          {SAMPLES.map((one) => (
            <li key={one.name}>
              <a href={`?state=${encodeURIComponent(one.name)}`}>{one.name}</a>
            </li>
          ))}
        </ul>
      </main>
    ),
  )
