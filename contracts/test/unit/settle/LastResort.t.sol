// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title LastResortTest
/// @notice The market's own resolution settles a series that no one else settled.
contract LastResortTest is PricesWorld {
    uint256 private constant AT = EXPIRY + 30 days;

    function setUp() public override {
        super.setUp();
        market.resolve(CONDITION, 1, 1);
        trade(callId, 10, 0);
        vm.warp(AT);
    }

    function test_anyone_settles_by_the_market_30_days_after_expiry() external {
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(callId, 50, uint64(AT));
        vm.expectEmit(address(core));
        emit IServiceCore.ConditionResolutionExecuted(callId, 1, 2);
        settleByMarket();
        vm.assertEq(seriesOf(callId).resolutionBps, 50, "price");
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 10), 10 * 50_000, "final at once");
    }

    function test_a_second_before_it_is_too_early() external {
        vm.warp(AT - 1);
        refuses(abi.encodeWithSelector(IRoles.TooEarly.selector, AT, AT - 1));
        vm.assertEq(core.lastResortAt(callId), AT, "says when");
    }

    function test_without_a_signer_it_is_three_days_after_expiry() external {
        vm.warp(START);
        revokeSigner();
        uint256 at = EXPIRY + 3 days;
        vm.assertEq(core.lastResortAt(callId), at, "says when");
        vm.warp(at - 1);
        refuses(abi.encodeWithSelector(IRoles.TooEarly.selector, at, at - 1));
        vm.warp(at);
        settleByMarket();
    }

    function test_or_three_days_after_the_vacancy_if_that_is_later() external {
        vm.warp(EXPIRY + 10 days);
        revokeSigner();
        uint256 at = EXPIRY + 13 days;
        vm.assertEq(core.lastResortAt(callId), at, "says when");
        vm.warp(at - 1);
        refuses(abi.encodeWithSelector(IRoles.TooEarly.selector, at, at - 1));
        vm.warp(at);
        settleByMarket();
    }

    function test_and_never_later_than_thirty_days_after_expiry() external {
        vm.warp(EXPIRY + 29 days);
        revokeSigner();
        vm.assertEq(core.lastResortAt(callId), AT, "says when");
    }

    function test_a_new_signer_ends_the_shorter_time() external {
        vm.warp(START);
        revokeSigner();
        propose(IRoles.Role.ResolutionSigner, next);
        vm.warp(START + 3 days);
        confirm(IRoles.Role.ResolutionSigner, next);
        vm.assertEq(core.lastResortAt(callId), AT, "says when");
    }

    /// @dev A thief of the owner's key removes the signer; the market names the price before it can announce one.
    function test_without_a_signer_the_market_comes_before_the_owner() external {
        vm.warp(START);
        revokeSigner();
        vm.assertEq(core.lastResortAt(callId), EXPIRY + 3 days, "the market");
        vm.assertEq(core.manualProposalOf(callId).proposableAt, EXPIRY + 7 days, "the owner");
        vm.warp(EXPIRY + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 7 days, EXPIRY + 3 days));
        announce(callId, 100);
        settleByMarket();
        expectPrice(callId, 50, EXPIRY + 3 days);
    }

    function test_it_prices_all_series_of_the_fixing() external {
        settleByMarket();
        expectPrice(putId, 50, AT);
    }

    function test_an_announcement_that_is_not_executed_does_not_stop_it() external {
        announce(callId, 100);
        settleByMarket();
        expectPrice(callId, 50, AT);
        vm.warp(AT + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 50));
        execute(callId);
    }

    function test_payouts_are_rounded_to_hundredths_halves_up() external {
        uint256[3][7] memory cases = [
            [uint256(1), 0, 100],
            [uint256(0), 1, 0],
            [uint256(1), 2, 33],
            [uint256(2), 1, 67],
            [uint256(5), 995, 1],
            [uint256(4), 996, 0],
            [uint256(type(uint128).max), type(uint128).max, 50]
        ];
        for (uint256 i = 0; i < cases.length; ++i) {
            uint256 before = vm.snapshotState();
            market.resolve(CONDITION, cases[i][0], cases[i][1]);
            settleByMarket();
            vm.assertEq(seriesOf(callId).resolutionBps, cases[i][2], "price");
            vm.revertToState(before);
        }
    }

    function test_the_largest_payouts_do_not_overflow() external {
        market.resolve(CONDITION, type(uint256).max, 0);
        settleByMarket();
        vm.assertEq(seriesOf(callId).resolutionBps, 100, "price");
    }

    function test_yes_may_be_the_second_outcome() external {
        vm.warp(START);
        yesToken = market.tokenOf(conditionCollateral, CONDITION, 1);
        uint256 second = createSeries(4500, EXPIRY, 0);
        market.resolve(CONDITION, 3, 1);
        vm.warp(AT);
        settleByMarket();
        vm.assertEq(seriesOf(second).resolutionBps, 25, "price");
        expectNoPrice(callId);
    }

    function test_the_outcome_outlasts_vetoes_and_prices_that_were_voided() external {
        vm.warp(START);
        propose(IRoles.Role.ResolutionSigner, next);
        yesToken = market.tokenOf(conditionCollateral, CONDITION, 1);
        uint256 second = createSeries(4500, EXPIRY, 0);
        market.resolve(CONDITION, 3, 1);
        settle(second, 59);
        revokeSigner();
        confirm(IRoles.Role.ResolutionSigner, next);
        settleBy(NEXT_KEY, second, 60);
        veto(second);
        vm.warp(EXPIRY + 3 days);
        announce(second, 100);
        vetoManual(second);
        vm.warp(EXPIRY + 7 days);
        settleByMarket();
        expectPrice(second, 25, EXPIRY + 7 days);
    }

    function test_terms_of_no_series_are_refused() external {
        IServiceCore.Terms memory terms = termsOf(4501, EXPIRY, 0);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, idOf(terms)));
        core.settleFromCondition(terms);
        terms = termsOf(4500, EXPIRY, 0);
        terms.conditionId = bytes32(uint256(1));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, idOf(terms)));
        core.settleFromCondition(terms);
    }

    function test_a_market_that_is_not_resolved_says_nothing() external {
        market.resolve(CONDITION, 0, 0);
        refuses(abi.encodeWithSelector(IServiceCore.ConditionUnresolved.selector, CONDITION));
    }

    function test_a_payout_above_all_payouts_is_refused() external {
        market.lie(CONDITION, 3, 2);
        refuses(abi.encodeWithSelector(IServiceCore.ConditionPayoutInvalid.selector, 3, 2));
    }

    function test_a_series_with_a_price_keeps_it() external {
        settle(callId, 59);
        refuses(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
    }

    function test_without_a_conditional_token_contract_there_is_none() external {
        vm.warp(START);
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        vm.warp(AT);
        refuses(abi.encodeWithSelector(IServiceCore.LastResortMissing.selector));
    }

    function refuses(bytes memory reason) private {
        vm.expectRevert(reason);
        settleByMarket();
    }
}
