// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title CreateSeriesTest
/// @notice Registrar and owner register series.
contract CreateSeriesTest is World {
    bytes32 private constant OTHER = bytes32(uint256(0xABCD));

    function test_a_new_series_is_stored_as_given_and_announced() external {
        uint256 id = core.seriesIdOf(OTHER, 99, 1234, EXPIRY + 1, 1);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesCreated(id, OTHER, 99, 1234, EXPIRY + 1, 1);
        vm.prank(registrar);
        vm.assertEq(core.createSeries(OTHER, 99, address(0), 1234, EXPIRY + 1, 1), id, "id");

        IServiceCore.Series memory series = seriesOf(id);
        vm.assertEq(series.expiry, EXPIRY + 1, "expiry");
        vm.assertEq(series.strikeBps, 1234, "strike");
        vm.assertEq(series.optionType, 1, "type");
        vm.assertEq(series.resolutionBps, 0, "resolution");
        vm.assertEq(series.openInterest, 0, "open interest");
        vm.assertTrue(!series.settled && !series.halted && !series.vetoed, "open");
        vm.assertEq(series.maxPayoff, 123_400, "most");
        vm.assertEq(series.payoff, 0, "payoff");
        vm.assertEq(series.finalAt, 0, "final at");
        vm.assertEq(series.openInterestCap, 2 ** 68 - 1, "cap");
        vm.assertEq(series.tradingEndsAt, EXPIRY + 1, "trading ends at");
        vm.assertEq(series.fixing, 2, "fixing, after that of the World's market");
    }

    function test_the_owner_registers_series_too() external {
        vm.prank(owner);
        uint256 id = core.createSeries(OTHER, 99, address(0), 4500, EXPIRY, 0);
        vm.assertEq(seriesOf(id).expiry, EXPIRY, "expiry");
    }

    function test_no_one_else_registers_series() external {
        address[4] memory others = [stranger, guardian, signer, halter];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Registrar, others[i]));
            vm.prank(others[i]);
            core.createSeries(OTHER, 99, address(0), 4500, EXPIRY, 0);
        }
    }

    function test_strikes_are_1_to_9999() external {
        refuses(0, EXPIRY, 0, abi.encodeWithSelector(IServiceCore.StrikeOutOfRange.selector, 0));
        refuses(10_000, EXPIRY, 0, abi.encodeWithSelector(IServiceCore.StrikeOutOfRange.selector, 10_000));
        vm.assertEq(core.maxPayoff(createSeries(1, EXPIRY, 0)), 999_900, "call at 0.0001");
        vm.assertEq(core.maxPayoff(createSeries(9999, EXPIRY, 0)), 100, "call at 0.9999");
        vm.assertEq(core.maxPayoff(createSeries(1, EXPIRY, 1)), 100, "put at 0.0001");
        vm.assertEq(core.maxPayoff(createSeries(9999, EXPIRY, 1)), 999_900, "put at 0.9999");
    }

    function test_expiries_lie_after_now_and_within_a_hundred_years() external {
        uint64 last = uint64(START + 36_525 days);
        refuses(4500, uint64(START), 0, abi.encodeWithSelector(IServiceCore.ExpiryOutOfRange.selector, START, START));
        refuses(4500, last + 1, 0, abi.encodeWithSelector(IServiceCore.ExpiryOutOfRange.selector, last + 1, START));
        vm.assertEq(seriesOf(createSeries(4500, uint64(START) + 1, 0)).expiry, START + 1, "a second ahead");
        vm.assertEq(seriesOf(createSeries(4500, last, 0)).expiry, last, "a hundred years ahead");
    }

    function test_an_expiry_in_milliseconds_is_refused() external {
        uint64 milliseconds = EXPIRY * 1000;
        refuses(
            4500, milliseconds, 0, abi.encodeWithSelector(IServiceCore.ExpiryOutOfRange.selector, milliseconds, START)
        );
    }

    function test_option_types_are_call_and_put() external {
        refuses(4500, EXPIRY, 2, abi.encodeWithSelector(IServiceCore.OptionTypeInvalid.selector, 2));
    }

    function test_a_series_is_created_once() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesExists.selector, callId));
        createSeries(4500, EXPIRY, 0);
    }

    /// @dev A core without a conditional-token contract checks no pair.
    function test_the_collateral_of_the_condition_is_not_a_term_of_the_series() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesExists.selector, callId));
        vm.prank(registrar);
        core.createSeries(CONDITION, YES_TOKEN, stranger, 4500, EXPIRY, 0);
    }

    function test_each_strike_and_type_is_kept_exactly() external {
        for (uint16 strike = 1; strike < 10_000; strike += strike < 20 || strike > 9980 ? 1 : 83) {
            for (uint8 optionType = 0; optionType < 2; ++optionType) {
                uint256 id = createSeries(strike, EXPIRY + 1, optionType);
                (uint256 legs, int256 floor) = core.legsOf(id);
                vm.assertEq(legs, leg(1, optionType, strike), "one leg of quantity 1");
                vm.assertTrue(floor == 0, "floor");
                IServiceCore.Series memory series = seriesOf(id);
                vm.assertEq(series.strikeBps, strike, "strike");
                vm.assertEq(series.optionType, optionType, "type");
                vm.assertEq(
                    series.maxPayoff, (optionType == 0 ? 10_000 - uint256(strike) : strike) * 100, "largest payoff"
                );
            }
        }
    }

    function test_golden_series_id_is_that_of_two_libraries() external view {
        vm.assertEq(
            core.seriesIdOf(
                0x1111111111111111111111111111111111111111111111111111111111111111, 123_456_789, 4500, 1_800_000_000, 0
            ),
            77770871434891359308267302489959896538900816656636245744408345915189366187400,
            "seriesId"
        );
    }

    function refuses(uint16 strikeBps, uint64 expiry, uint8 optionType, bytes memory reason) private {
        vm.expectRevert(reason);
        createSeries(strikeBps, expiry, optionType);
    }
}
