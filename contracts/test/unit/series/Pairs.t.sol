// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title PairsTest
/// @notice Where the core has a conditional-token contract, a token is registered with its own condition alone.
contract PairsTest is PricesWorld {
    bytes32 private constant OTHER = bytes32(uint256(0xC1));
    uint64 private constant LATER = EXPIRY + 1 days;

    function test_the_first_outcome_is_registered() external {
        uint256 token = market.tokenOf(conditionCollateral, OTHER, 0);
        uint256 id = register(OTHER, token, conditionCollateral, LATER);
        market.resolve(OTHER, 3, 1);
        vm.warp(LATER + 30 days);
        core.settleFromCondition(IServiceCore.Terms(OTHER, token, 5000, LATER, 0));
        vm.assertEq(seriesOf(id).resolutionBps, 75, "the payout of the first outcome");
    }

    function test_the_second_outcome_is_registered() external {
        uint256 token = market.tokenOf(conditionCollateral, OTHER, 1);
        uint256 id = register(OTHER, token, conditionCollateral, LATER);
        market.resolve(OTHER, 3, 1);
        vm.warp(LATER + 30 days);
        core.settleFromCondition(IServiceCore.Terms(OTHER, token, 5000, LATER, 0));
        vm.assertEq(seriesOf(id).resolutionBps, 25, "the payout of the second outcome");
    }

    function test_a_token_of_another_condition_is_refused() external {
        refuses(OTHER, yesToken, conditionCollateral);
    }

    function test_a_token_of_another_collateral_is_refused() external {
        refuses(CONDITION, yesToken, stranger);
        refuses(OTHER, market.tokenOf(stranger, OTHER, 0), conditionCollateral);
    }

    function test_a_third_outcome_is_refused() external {
        refuses(OTHER, market.tokenOf(conditionCollateral, OTHER, 2), conditionCollateral);
    }

    function test_a_token_of_both_outcomes_is_refused() external {
        bytes32 both = market.getCollectionId(0, OTHER, 3);
        refuses(OTHER, market.getPositionId(conditionCollateral, both), conditionCollateral);
    }

    function test_a_token_of_which_one_bit_differs_is_refused() external {
        uint256 token = market.tokenOf(conditionCollateral, OTHER, 0);
        refuses(OTHER, token ^ 1, conditionCollateral);
        refuses(OTHER, token ^ 1 << 255, conditionCollateral);
    }

    function test_the_owner_is_checked_as_the_registrar_is() external {
        vm.expectRevert(
            abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, OTHER, yesToken, conditionCollateral)
        );
        vm.prank(owner);
        core.createSeries(OTHER, yesToken, conditionCollateral, 5000, EXPIRY, 0);
    }

    function test_each_expiry_is_checked() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, CONDITION, yesToken, stranger));
        register(CONDITION, yesToken, stranger, LATER);
    }

    /// @dev The pair is a part of the fixing's key, so that a fixing exists for a checked pair alone.
    function test_later_series_of_a_fixing_are_not_checked_again() external {
        uint256 id = register(CONDITION, yesToken, stranger, EXPIRY);
        vm.assertEq(seriesOf(id).fixing, seriesOf(callId).fixing, "fixing");
    }

    function test_packages_inherit_the_outcome_of_their_legs() external {
        uint256 token = market.tokenOf(conditionCollateral, OTHER, 1);
        register(OTHER, token, conditionCollateral, LATER);
        vm.prank(registrar);
        core.createSeries(OTHER, token, conditionCollateral, 6000, LATER, 0);
        uint256 legs = leg(1, 0, 5000) | leg(-1, 0, 6000) << 32;
        uint256 id = core.createPackage(OTHER, token, LATER, legs);
        market.resolve(OTHER, 1, 9);
        vm.warp(LATER + 30 days);
        core.settleFromCondition(IServiceCore.Terms(OTHER, token, legs, LATER, 2));
        vm.assertEq(seriesOf(id).resolutionBps, 90, "the payout of the second outcome");
        vm.assertEq(seriesOf(id).payoff, 100_000, "the spread pays all");
    }

    function test_a_package_of_another_pair_has_no_legs() external {
        createSeries(6000, EXPIRY, 0);
        uint256 legs = leg(1, 0, 4500) | leg(-1, 0, 6000) << 32;
        uint256 first = core.seriesIdOf(OTHER, yesToken, 4500, EXPIRY, 0);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, first));
        core.createPackage(OTHER, yesToken, EXPIRY, legs);
    }

    function register(bytes32 condition, uint256 token, address collateral, uint64 expiry) private returns (uint256) {
        vm.prank(registrar);
        return core.createSeries(condition, token, collateral, 5000, expiry, 0);
    }

    function refuses(bytes32 condition, uint256 token, address collateral) private {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, condition, token, collateral));
        register(condition, token, collateral, LATER);
    }
}
