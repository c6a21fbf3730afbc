/** Words that a newcomer cannot know, each explained by one or two sentences wherever the pages have it. */
export const GLOSSARY = {
  call: 'Pays by how much YES ends above the strike: a call at $0.40 pays $0.15 if YES ends at $0.55, and nothing below $0.40.',
  put: 'Pays by how much YES ends below the strike: a put at $0.60 pays $0.05 if YES ends at $0.55, and nothing above $0.60.',
  strike: 'The price of YES from which an option pays: a call above it, a put below it.',
  expiry: 'The time at which options end. YES ends at its average price of the last half hour before, to the cent.',
  window: 'The half hour before the expiry. The average price of YES over it settles the options.',
  premium:
    'The price of the options. A buyer pays it and can lose no more; a seller gets it, and locks the most that the options can pay.',
  package: 'Two to four calls and puts of one expiry that trade as one.',
  mark: 'The worth of an option by a model, at the volatility that levels of makers and filled trades show. It binds no one.',
  intrinsic:
    'The amount that one option pays if YES stays at its price until the expiry. An option before its expiry is worth more or less.',
  volatility:
    'The size of the moves of the YES price that an option price implies, for a year. Options cost more as it grows.',
} as const satisfies Readonly<Record<string, string>>

export type GlossaryWord = keyof typeof GLOSSARY
