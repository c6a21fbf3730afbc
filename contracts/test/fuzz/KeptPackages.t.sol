// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {World} from "../support/World.sol";

/// @title KeptPackagesTest
/// @notice The word of a package keeps its legs, its floor and its largest payoff exactly, whatever its legs.
contract KeptPackagesTest is World {
    uint64 private constant LATER = EXPIRY + 1;

    function testFuzz_a_package_keeps_its_legs_and_pays_them(uint256 seed, uint256 resolution) external {
        uint256[] memory legs = legsOf(seed);
        (int256 floor, int256 most) = boundsOf(legs);
        vm.assume(floor != most);
        uint256 id = register(legs);

        (uint256 kept, int256 keptFloor) = core.legsOf(id);
        vm.assertEq(kept, packed(legs), "legs");
        vm.assertTrue(keptFloor == floor, "floor");
        vm.assertEq(core.maxPayoff(id), uint256(most - floor), "largest payoff");
        IServiceCore.Series memory series = seriesOf(id);
        vm.assertEq(series.optionType, 2, "kind");
        vm.assertEq(series.strikeBps, 0, "strike");
        vm.assertEq(series.expiry, LATER, "expiry");
        vm.assertEq(series.openInterest, 0, "open interest");
        vm.assertTrue(!series.halted, "open");

        resolution = bound(resolution, 0, 100);
        vm.warp(LATER);
        settle(id, uint16(resolution));
        vm.assertEq(core.payoff(id), uint256(valueAt(legs, resolution) - floor), "payoff");
    }

    function testFuzz_a_change_of_the_word_leaves_its_legs(uint256 seed, uint64 amount) external {
        uint256[] memory legs = legsOf(seed);
        (int256 floor, int256 most) = boundsOf(legs);
        vm.assume(floor != most && amount != 0);
        uint256 id = register(legs);
        usd.mint(maker, uint256(amount) * 16e6);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, id, amount);
        uint256[] memory ids = new uint256[](1);
        ids[0] = id;
        vm.prank(guardian);
        core.setHalted(ids, true);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, id, amount, "");
        vm.prank(maker);
        core.closePosition(id, amount - amount / 2, maker);

        (uint256 kept, int256 keptFloor) = core.legsOf(id);
        vm.assertEq(kept, packed(legs), "legs");
        vm.assertTrue(keptFloor == floor, "floor");
        IServiceCore.Series memory series = seriesOf(id);
        vm.assertEq(series.maxPayoff, uint256(most - floor), "largest payoff");
        vm.assertEq(series.openInterest, amount / 2, "open interest");
        vm.assertTrue(series.halted, "halted");
        vm.assertEq(series.fixing, 2, "fixing");
        vm.assertEq(usd.balanceOf(address(core)), amount / 2 * uint256(most - floor), "locked");
    }

    /// @dev Two to four legs in normal form, of any type, strike and quantity.
    function legsOf(uint256 seed) private pure returns (uint256[] memory legs) {
        legs = new uint256[](2 + seed % 3);
        uint256 divisor;
        for (uint256 i = 0; i < legs.length; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(seed, i)));
            // Every tenth strike is one of the two ends.
            uint256 strike = draw % 10 != 0 ? 1 + (draw >> 8) % 9999 : draw >> 8 & 1 == 0 ? 1 : 9999;
            uint256 size = 1 + (draw >> 32) % 4;
            legs[i] = leg(
                draw >> 40 & 1 == 0 ? int8(uint8(size)) : -int8(uint8(size)), uint8(draw >> 41 & 1), uint16(strike)
            );
            while (size != 0) (divisor, size) = (size, divisor % size);
        }
        sort(legs);
        for (uint256 i = 0; i < legs.length; ++i) {
            vm.assume(i == 0 || uint24(legs[i]) != uint24(legs[i - 1]));
            legs[i] = leg(quantityOf(legs[i]) / int8(uint8(divisor)), uint8(legs[i] >> 16), uint16(legs[i]));
        }
    }

    function sort(uint256[] memory legs) private pure {
        for (uint256 i = 1; i < legs.length; ++i) {
            for (uint256 j = i; j > 0 && uint24(legs[j - 1]) > uint24(legs[j]); --j) {
                (legs[j - 1], legs[j]) = (legs[j], legs[j - 1]);
            }
        }
    }

    function register(uint256[] memory legs) private returns (uint256) {
        for (uint256 i = 0; i < legs.length; ++i) {
            createSeries(uint16(legs[i]), LATER, uint8(legs[i] >> 16));
        }
        return core.createPackage(CONDITION, YES_TOKEN, LATER, packed(legs));
    }

    function packed(uint256[] memory legs) private pure returns (uint256 all) {
        for (uint256 i = 0; i < legs.length; ++i) {
            all |= legs[i] << 32 * i;
        }
    }

    function boundsOf(uint256[] memory legs) private pure returns (int256 floor, int256 most) {
        (floor, most) = (type(int256).max, type(int256).min);
        for (uint256 resolution = 0; resolution <= 100; ++resolution) {
            int256 value = valueAt(legs, resolution);
            if (value < floor) floor = value;
            if (value > most) most = value;
        }
    }

    /// @dev Written down apart from the library, in micro-dollars.
    function valueAt(uint256[] memory legs, uint256 resolution) private pure returns (int256 value) {
        for (uint256 i = 0; i < legs.length; ++i) {
            int256 above = int256(resolution * 10_000) - int256(uint256(uint16(legs[i])) * 100);
            if (uint8(legs[i] >> 16) == 1) above = -above;
            if (above > 0) value += quantityOf(legs[i]) * above;
        }
    }

    function quantityOf(uint256 one) private pure returns (int8) {
        return int8(uint8(one >> 24));
    }
}
