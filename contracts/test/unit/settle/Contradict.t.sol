// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title ContradictTest
/// @notice Two series of one market and expiry with different prices contradict each other.
contract ContradictTest is World {
    uint64 private constant FINAL_AT = EXPIRY + 2 hours;

    IServiceCore.Terms private callTerms = termsOf(4500, EXPIRY, 0);
    IServiceCore.Terms private putTerms = termsOf(4500, EXPIRY, 1);

    function setUp() public override {
        super.setUp();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.disputeWindow = 2 hours;
        (core, settlement) = deploy(setup);
        createSeries(4500, EXPIRY, 0);
        createSeries(4500, EXPIRY, 1);
    }

    function test_anyone_takes_back_two_prices_that_differ() external {
        settle(callId, 100);
        settle(putId, 0);
        vm.expectEmit(address(core));
        emit IServiceCore.PricesContradicted(callId, putId);
        vm.expectEmit(address(core));
        emit IServiceCore.PriceVoided(callId, 100);
        vm.expectEmit(address(core));
        emit IServiceCore.PriceVoided(putId, 0);
        contradict(callTerms, putTerms);
        expectVetoed(callId, true);
        expectVetoed(putId, true);
    }

    function test_only_the_price_that_is_not_final_is_taken_back() external {
        settle(callId, 100);
        vm.warp(FINAL_AT - 1);
        settle(putId, 0);
        vm.warp(FINAL_AT);
        uint256 before = vm.snapshotState();
        contradict(callTerms, putTerms);
        expectVetoed(callId, false);
        expectVetoed(putId, true);
        vm.revertToState(before);
        contradict(putTerms, callTerms);
        expectVetoed(callId, false);
        expectVetoed(putId, true);
    }

    function test_two_final_prices_stay() external {
        settle(callId, 100);
        settle(putId, 0);
        vm.warp(FINAL_AT);
        refuses(callTerms, putTerms, abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, FINAL_AT));
    }

    function test_equal_prices_stay() external {
        settle(callId, 60);
        settle(putId, 60);
        refuses(callTerms, putTerms, abi.encodeWithSelector(IServiceCore.PricesAgree.selector, callId, putId, 60));
        refuses(callTerms, callTerms, abi.encodeWithSelector(IServiceCore.PricesAgree.selector, callId, callId, 60));
    }

    function test_both_need_a_price() external {
        refuses(callTerms, putTerms, abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        settle(callId, 60);
        refuses(callTerms, putTerms, abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, putId));
    }

    function test_series_of_different_markets_do_not_contradict() external {
        settle(callId, 100);
        IServiceCore.Terms[3] memory others = [callTerms, callTerms, callTerms];
        others[0].conditionId = bytes32(uint256(1));
        others[1].yesClobTokenId = 8;
        others[2].expiry = EXPIRY - 1;
        for (uint256 i = 0; i < others.length; ++i) {
            uint256 id = idOf(others[i]);
            vm.warp(START);
            vm.prank(registrar);
            core.createSeries(
                others[i].conditionId,
                others[i].yesClobTokenId,
                uint16(others[i].shape),
                others[i].expiry,
                others[i].kind
            );
            settle(id, 0);
            refuses(callTerms, others[i], abi.encodeWithSelector(IServiceCore.MarketsDiffer.selector, callId, id));
        }
    }

    function test_terms_of_no_series_are_refused() external {
        settle(callId, 100);
        IServiceCore.Terms memory unknown = termsOf(4501, EXPIRY, 1);
        refuses(callTerms, unknown, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, idOf(unknown)));
    }

    /// @dev Every price is final at once without a window.
    function test_without_a_dispute_window_nothing_can_be_contradicted() external {
        vm.warp(START);
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        createSeries(4500, EXPIRY, 1);
        settle(callId, 100);
        settle(putId, 0);
        refuses(callTerms, putTerms, abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, EXPIRY));
    }

    function contradict(IServiceCore.Terms memory a, IServiceCore.Terms memory b) private {
        vm.prank(stranger);
        core.contradict(a, b);
    }

    function refuses(IServiceCore.Terms memory a, IServiceCore.Terms memory b, bytes memory reason) private {
        vm.expectRevert(reason);
        core.contradict(a, b);
    }

    function expectVetoed(uint256 seriesId, bool vetoed) private view {
        vm.assertTrue(seriesOf(seriesId).vetoed == vetoed, "vetoed");
        vm.assertTrue(seriesOf(seriesId).settled != vetoed, "settled");
    }
}
