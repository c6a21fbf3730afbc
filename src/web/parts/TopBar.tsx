import type { ReactNode } from 'react'

type TopBarProps = { here: 'trade' | 'operate'; aside?: ReactNode }

export const TopBar = ({ here, aside }: TopBarProps): ReactNode => (
  <header className="top-bar">
    <a className="skip-link" href="#main">
      Skip to the page
    </a>
    <a className="brand" href="/">
      <Mark />
      <span className="brand-name">rfqctl</span>
      {here === 'operate' && <span className="faint">operate</span>}
    </a>
    <div className="top-bar-right">{aside}</div>
  </header>
)

const Mark = (): ReactNode => (
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <path
      d="M2 14.5h7.5L17 5"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.25"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="17" cy="5" r="2.25" fill="currentColor" />
  </svg>
)
