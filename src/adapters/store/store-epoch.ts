import { randomInt } from 'node:crypto'

/** 20 random bits made with a store, by which the nonces of two stores on one chain differ (decision C7). */
export const randomStoreEpoch = (): number => randomInt(2 ** 20)
