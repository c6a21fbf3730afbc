// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {Conditions} from "./Accounts.sol";
import {Market} from "./Market.sol";
import {Paying} from "./Paying.sol";
import {Pricing} from "./Pricing.sol";
import {RoleChanges} from "./RoleChanges.sol";
import {Strangers} from "./Strangers.sol";
import {Trading} from "./Trading.sol";

/// @title Handler
/// @notice Users, role holders and strangers act in any order. Each action turns random numbers into a call with a known outcome and
/// books it in the ghost ledger, or skips when there is nothing to act on. `done` counts the expected outcomes of each.
contract Handler is Trading, Paying, Pricing, RoleChanges, Strangers {
    constructor(TestUSD usd_, ServiceCore core_, ServiceRFQSettlement settlement_, Conditions conditions_)
        Market(usd_, core_, settlement_, conditions_)
    {}

    function pass(uint256 time) external {
        passTo(block.timestamp + bound(time, 1, 1 days));
        replenish();
        ++done["pass"];
    }

    /// @dev The end of every run: all series get a price and every actor claims what it is owed, series by series and actor
    /// by actor in random order.
    function exitAll(uint256 seed) external {
        while (books.length > 0) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 index = seed % books.length;
            if (!hasPrice(books[index])) {
                passTo(books[index].expiry);
                if (isVetoed(index)) priceByHand(index, uint16(seed >> 64) % 101);
                else attest(index, uint16(seed >> 64) % 101, 0, address(this));
            }
            passTo(finalAtOf(index));
            exitFrom(index, seed);
            retireWhatIsOver();
        }
    }
}
