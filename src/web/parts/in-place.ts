import { createElement, Fragment, type ReactNode } from 'react'

/** Keys items by place: for lines, signs and bars, which have no name of their own. */
export const inPlace = <Item>(items: readonly Item[], draw: (item: Item, place: number) => ReactNode): ReactNode =>
  createElement(Fragment, null, ...items.map(draw))
