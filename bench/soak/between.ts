/** Any number between two, each as likely as the others. */
export const between = ([least, most]: readonly [number, number]): number => least + Math.random() * (most - least)
