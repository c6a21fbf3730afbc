import { show } from '../parts/show.tsx'
import { TradePage } from './TradePage.tsx'

show(<TradePage />)
