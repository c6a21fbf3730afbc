// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title CreatePackageTest
/// @notice Anyone registers packages of registered legs.
contract CreatePackageTest is World {
    /// @dev Buys the call at 0.45, sells the one at 0.65: 0 to 0.20.
    uint256 private spread = leg(1, 0, 4500) | leg(-1, 0, 6500) << 32;

    function setUp() public override {
        super.setUp();
        createSeries(6500, EXPIRY, 0);
        createSeries(5500, EXPIRY, 0);
        createSeries(2500, EXPIRY, 1);
        createSeries(6500, EXPIRY, 1);
    }

    function test_anyone_registers_a_package_that_locks_what_it_can_lose() external {
        uint256 id = idOf(packageTerms(spread));
        vm.expectEmit(address(core));
        emit IServiceCore.PackageCreated(id, CONDITION, YES_TOKEN, spread, EXPIRY);
        vm.prank(stranger);
        vm.assertEq(createPackage(spread), id, "id");

        IServiceCore.Series memory series = seriesOf(id);
        vm.assertEq(series.maxPayoff, 200_000, "most");
        vm.assertEq(core.maxPayoff(id), 200_000, "most, alone");
        vm.assertEq(series.optionType, 2, "kind");
        vm.assertEq(series.strikeBps, 0, "strike");
        vm.assertEq(series.expiry, EXPIRY, "expiry");
        vm.assertTrue(!series.settled && !series.halted && !series.vetoed, "flags");
        vm.assertEq(core.requiredCollateral(id, 7), 1_400_000, "collateral");
        legsAre(id, spread, 0);
        vm.assertEq(series.fixing, seriesOf(callId).fixing, "fixing");
        vm.assertEq(series.tradingEndsAt, EXPIRY, "trading ends at");
        vm.assertEq(series.openInterestCap, 2 ** 68 - 1, "cap");
    }

    function test_what_the_legs_lose_at_least_is_taken_off() external {
        uint256 credit = leg(-1, 0, 4500) | leg(1, 0, 6500) << 32;
        uint256 id = createPackage(credit);
        vm.assertEq(core.maxPayoff(id), 200_000, "most");
        legsAre(id, credit, -200_000);
        uint256 strangle = leg(1, 0, 6500) | leg(1, 1, 2500) << 32;
        id = createPackage(strangle);
        vm.assertEq(core.maxPayoff(id), 350_000, "most of the strangle");
        legsAre(id, strangle, 0);
        // In the straddle of one strike something is always paid, at least 0.00 at the strike itself; here it is 0.20.
        uint256 guts = leg(1, 0, 4500) | leg(1, 1, 6500) << 32;
        id = createPackage(guts);
        vm.assertEq(core.maxPayoff(id), 450_000, "most of the guts");
        legsAre(id, guts, 200_000);
    }

    function test_four_legs_of_any_quantity_up_to_four() external {
        uint256 legs = leg(-4, 0, 4500) | leg(4, 0, 5500) << 32 | leg(-3, 0, 6500) << 64 | leg(4, 1, 2500) << 96;
        uint256 id = createPackage(legs);
        // 1.00 at 0; at 1.00 it is -4 x 0.55 + 4 x 0.45 - 3 x 0.35.
        legsAre(id, legs, -1_450_000);
        vm.assertEq(core.maxPayoff(id), 2_450_000, "most");
    }

    function test_a_floor_far_below_zero_is_kept_exactly() external {
        uint256 legs = deep(-4, -3, 0);
        uint256 id = createPackage(legs);
        legsAre(id, legs, -14_996_400);
        vm.assertEq(core.maxPayoff(id), 14_996_400, "most");
        uint256 before = vm.snapshotState();
        settle(id, 100);
        vm.assertEq(core.payoff(id), 0, "at the floor");
        vm.revertToState(before);
        settle(id, 99);
        vm.assertEq(core.payoff(id), 150_000, "a cent above, 15 times");
        vm.revertToState(before);
        settle(id, 0);
        vm.assertEq(core.payoff(id), 14_996_400, "all");
    }

    function test_a_largest_payoff_far_above_zero_is_kept_exactly() external {
        uint256 legs = deep(4, 3, 0);
        uint256 id = createPackage(legs);
        legsAre(id, legs, 0);
        vm.assertEq(core.maxPayoff(id), 14_996_400, "most");
        settle(id, 100);
        vm.assertEq(core.payoff(id), 14_996_400, "all");
    }

    function test_a_floor_far_above_zero_is_kept_exactly() external {
        createSeries(1, EXPIRY, 0);
        createSeries(2, EXPIRY, 0);
        createSeries(9998, EXPIRY, 1);
        createSeries(9999, EXPIRY, 1);
        uint256 legs = leg(4, 0, 1) | leg(4, 0, 2) << 32 | leg(4, 1, 9998) << 64 | leg(3, 1, 9999) << 96;
        uint256 id = createPackage(legs);
        // At 1.00: 4 x 0.9999 + 4 x 0.9998; at 0: 4 x 0.9998 + 3 x 0.9999, which is a dollar less.
        legsAre(id, legs, 6_998_900);
        vm.assertEq(core.maxPayoff(id), 999_900, "most less floor");
        settle(id, 50);
        vm.assertEq(core.payoff(id), 498_800, "payoff");
    }

    function test_each_quantity_of_each_leg_is_kept() external {
        for (uint256 place = 0; place < 4; ++place) {
            for (int8 quantity = -4; quantity <= 4; ++quantity) {
                int8[4] memory q = [int8(1), 1, -1, -1];
                bool isKnown = quantity == q[place] && place > 0;
                if (quantity == 0 || isKnown) continue;
                q[place] = quantity;
                uint256 legs =
                    leg(q[0], 0, 4500) | leg(q[1], 0, 6500) << 32 | leg(q[2], 1, 4500) << 64 | leg(q[3], 1, 6500) << 96;
                (uint256 kept,) = core.legsOf(createPackage(legs));
                vm.assertEq(kept, legs, "legs");
            }
        }
    }

    function test_a_call_or_put_is_one_leg_of_quantity_one() external view {
        legsAre(callId, leg(1, 0, 4500), 0);
        legsAre(putId, leg(1, 1, 4500), 0);
    }

    function test_an_unknown_series_has_no_legs() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        core.legsOf(1);
    }

    function test_legs_that_are_not_in_normal_form_are_refused() external {
        uint256[14] memory bad = [
            uint256(0),
            leg(1, 0, 4500), // one leg
            leg(1, 0, 4500) | leg(0, 0, 6500) << 32, // no quantity
            leg(0, 0, 4500) | leg(1, 0, 6500) << 32,
            leg(5, 0, 4500) | leg(1, 0, 6500) << 32, // too many
            leg(1, 0, 4500) | leg(-5, 0, 6500) << 32,
            leg(-128, 0, 4500) | leg(1, 0, 6500) << 32,
            leg(1, 0, 6500) | leg(1, 0, 4500) << 32, // not ascending
            leg(1, 1, 4500) | leg(1, 0, 6500) << 32,
            leg(1, 0, 4500) | leg(1, 0, 4500) << 32, // one option twice
            leg(2, 0, 4500) | leg(-4, 0, 6500) << 32, // a common divisor
            leg(3, 0, 4500) | leg(-3, 0, 6500) << 32,
            leg(1, 0, 4500) | leg(1, 0, 6500) << 64, // a gap
            spread | leg(1, 1, 2500) << 64 | leg(1, 1, 4500) << 96 | leg(1, 1, 6500) << 128 // a fifth
        ];
        for (uint256 i = 0; i < bad.length; ++i) {
            refuses(bad[i], abi.encodeWithSelector(IServiceCore.LegsNotNormal.selector, bad[i]));
        }
    }

    function test_two_and_three_have_no_common_divisor() external {
        vm.assertEq(core.maxPayoff(createPackage(leg(2, 0, 4500) | leg(-3, 0, 6500) << 32)), 400_000, "2 to 3");
        createPackage(leg(3, 0, 4500) | leg(-4, 0, 6500) << 32);
        createPackage(leg(4, 0, 4500) | leg(-2, 0, 5500) << 32 | leg(1, 0, 6500) << 64);
    }

    function test_every_leg_has_to_be_registered_with_market_and_expiry() external {
        uint256 unknown = leg(1, 0, 4500) | leg(-1, 0, 6600) << 32;
        refuses(unknown, unknownLeg(CONDITION, YES_TOKEN, 6600, EXPIRY, 0));
        unknown = leg(1, 0, 4400) | leg(-1, 0, 6500) << 32;
        refuses(unknown, unknownLeg(CONDITION, YES_TOKEN, 4400, EXPIRY, 0));
        unknown = spread | leg(1, 2, 1) << 64;
        refuses(unknown, unknownLeg(CONDITION, YES_TOKEN, 1, EXPIRY, 2));
        unknown = leg(1, 0, 0) | leg(1, 0, 4500) << 32;
        refuses(unknown, abi.encodeWithSelector(IServiceCore.LegsNotNormal.selector, unknown));

        bytes32 condition = bytes32(uint256(1));
        vm.expectRevert(unknownLeg(condition, YES_TOKEN, 4500, EXPIRY, 0));
        core.createPackage(condition, YES_TOKEN, EXPIRY, spread);
        vm.expectRevert(unknownLeg(CONDITION, 8, 4500, EXPIRY, 0));
        core.createPackage(CONDITION, 8, EXPIRY, spread);
        vm.expectRevert(unknownLeg(CONDITION, YES_TOKEN, 4500, EXPIRY + 1, 0));
        core.createPackage(CONDITION, YES_TOKEN, EXPIRY + 1, spread);
    }

    function test_a_package_is_no_leg() external {
        createPackage(spread);
        uint256 nested = leg(1, 0, 4500) | leg(1, 2, 0) << 32;
        refuses(nested, unknownLeg(CONDITION, YES_TOKEN, 0, EXPIRY, 2));
    }

    function test_a_halted_leg_refuses_the_package() external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.prank(guardian);
        core.setHalted(ids, true);
        refuses(spread, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
    }

    function test_at_expiry_and_after_settlement_there_is_no_new_package() external {
        vm.warp(EXPIRY - 1);
        uint256 before = vm.snapshotState();
        createPackage(spread);
        vm.revertToState(before);
        vm.warp(EXPIRY);
        refuses(spread, abi.encodeWithSelector(IServiceCore.TradingEnded.selector, callId, EXPIRY));
        settle(callId, 60);
        refuses(spread, abi.encodeWithSelector(IServiceCore.TradingEnded.selector, callId, EXPIRY));
    }

    function test_legs_that_are_worth_the_same_at_every_price_are_refused() external {
        uint256 box = spread | leg(-1, 1, 4500) << 64 | leg(1, 1, 6500) << 96;
        refuses(box, abi.encodeWithSelector(IServiceCore.PayoffConstant.selector, box));
        // One micro-cent of difference is a payoff.
        createSeries(4501, EXPIRY, 0);
        vm.assertEq(
            core.maxPayoff(createPackage(leg(1, 0, 4500) | leg(-1, 0, 4501) << 32)), 100, "a hundredth of a cent"
        );
    }

    function test_a_package_is_registered_once() external {
        uint256 id = createPackage(spread);
        refuses(spread, abi.encodeWithSelector(IServiceCore.SeriesExists.selector, id));
    }

    /// @dev Three legs of one quantity and one of another, at the lowest strikes.
    function deep(int8 quantity, int8 last, uint8 optionType) private returns (uint256 legs) {
        for (uint16 i = 0; i < 4; ++i) {
            createSeries(i + 1, EXPIRY, optionType);
            legs |= leg(i == 3 ? last : quantity, optionType, i + 1) << 32 * i;
        }
    }

    function refuses(uint256 legs, bytes memory reason) private {
        vm.expectRevert(reason);
        createPackage(legs);
    }

    function legsAre(uint256 id, uint256 legs, int256 floor) private view {
        (uint256 legs_, int256 floor_) = core.legsOf(id);
        vm.assertEq(legs_, legs, "legs");
        vm.assertTrue(floor_ == floor, "floor");
    }

    function unknownLeg(bytes32 condition, uint256 token, uint256 strike, uint64 expiry, uint8 optionType)
        private
        pure
        returns (bytes memory)
    {
        uint256 id = idOf(IServiceCore.Terms(condition, token, strike, expiry, optionType));
        return abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, id);
    }
}
