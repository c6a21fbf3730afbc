import type { ReactNode } from 'react'

/** Paths on a grid of 16 by 16. */
const PATHS = {
  good: 'M3 8.5 6.5 12 13 4.5',
  bad: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.5 14.5 13.5H1.5L8 2.5ZM8 6.5v3M8 11.6v.1',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5.1v.1',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3 5 8l5 5',
  wallet:
    'M2.5 5.5v6.25c0 .7.55 1.25 1.25 1.25h8.5c.7 0 1.25-.55 1.25-1.25v-5c0-.7-.55-1.25-1.25-1.25H2.5Zm0 0c0-.9.6-1.6 1.4-1.8L11 2.5v3M10.8 9.2v.1',
  markets: 'M2.5 13.5v-5M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  positions: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  swap: 'M3 5.5h9.5L10 3M13 10.5H3.5L6 13',
  copy: 'M5.5 5.5v-2c0-.55.45-1 1-1h6c.55 0 1 .45 1 1v6c0 .55-.45 1-1 1h-2M2.5 6.5c0-.55.45-1 1-1h6c.55 0 1 .45 1 1v6c0 .55-.45 1-1 1h-6c-.55 0-1-.45-1-1v-6Z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14',
} as const

export type IconName = keyof typeof PATHS

/** The words beside it say the same, so it is not read aloud. */
export const Icon = ({ name }: { name: IconName }): ReactNode => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
