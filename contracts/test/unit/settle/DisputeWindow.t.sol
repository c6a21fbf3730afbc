// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title DisputeWindowTest
/// @notice The guardian vetoes an attested price inside the dispute window.
contract DisputeWindowTest is PricesWorld {
    /// @dev The maker has written 10 calls, and got 4 of them back.
    function setUp() public override {
        super.setUp();
        trade(callId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 4, "");
    }

    function test_an_attested_price_is_final_after_the_window() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(callId, 59, FINAL_AT);
        core.settleWithAttestation(callId, 59, EXPIRY, signature);
        vm.assertTrue(seriesOf(callId).settled, "has a price");
        vm.assertEq(seriesOf(callId).finalAt, FINAL_AT, "final at");
        vm.assertEq(seriesOf(callId).payoff, 140_000, "payoff");

        vm.warp(FINAL_AT - 1);
        refusesClaims(abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, callId, FINAL_AT));
        vm.warp(FINAL_AT);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 6), 6 * 140_000, "holder");
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), 10 * 410_000, "writer");
        vm.assertEq(core.payoff(callId), 140_000, "payoff");
    }

    function test_a_price_that_comes_late_has_its_whole_window() external {
        uint64 late = EXPIRY + WINDOW + 1 hours;
        vm.warp(late);
        settle(callId, 59);
        refusesClaims(abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, callId, late + WINDOW));
        vm.warp(late + WINDOW - 1);
        refusesClaims(abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, callId, late + WINDOW));
        veto(callId);
        expectNoPrice(callId);
    }

    function test_closes_inside_the_window_survive_a_veto() external {
        settle(callId, 59);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 3, maker), 3 * 550_000, "returned");
        vm.assertEq(seriesOf(callId).openInterest, 7, "lower, as before a price");
        veto(callId);
        vm.prank(maker);
        core.closePosition(callId, 1, maker);
        vm.assertEq(seriesOf(callId).openInterest, 6, "lower again");
        vm.assertEq(usd.balanceOf(address(core)), 6 * 550_000, "locked");
    }

    function test_after_the_window_a_close_reduces_the_open_interest_and_a_claim_does_not() external {
        settle(callId, 59);
        vm.warp(FINAL_AT);
        vm.prank(maker);
        core.closePosition(callId, 3, maker);
        vm.assertEq(seriesOf(callId).openInterest, 7, "written less closed");
        vm.prank(taker);
        core.claimHolderPayout(callId, 6);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.assertEq(seriesOf(callId).openInterest, 7, "written less closed");
    }

    function test_a_veto_voids_the_price_and_refuses_attestations() external {
        settle(callId, 59);
        vm.warp(FINAL_AT - 1);
        vm.expectEmit(address(core));
        emit IServiceCore.PriceVoided(callId, 59);
        veto(callId);
        IServiceCore.Series memory series = seriesOf(callId);
        vm.assertTrue(!series.settled && series.vetoed, "vetoed");
        vm.assertEq(series.finalAt, 0, "no price");
        vm.assertEq(series.resolutionBps, 0, "no price");
        vm.assertEq(series.payoff, 0, "no price");
        vm.assertEq(series.maxPayoff, 550_000, "its neighbours in the word");
        vm.assertEq(series.openInterest, 10, "its neighbours in the word");
        refusesClaims(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));

        bytes memory again = attestation(callId, 60, FINAL_AT);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, callId));
        core.settleWithAttestation(callId, 60, FINAL_AT, again);
    }

    function test_a_veto_voids_the_price_of_all_series_of_the_fixing() external {
        uint256 later = createLater();
        vm.warp(EXPIRY + 1);
        settle(callId, 59);
        settle(later, 40);
        veto(putId);
        expectNoPrice(callId);
        expectNoPrice(putId);
        vm.assertTrue(seriesOf(callId).vetoed, "vetoed");
        expectPrice(later, 40, FINAL_AT + 1);
        vm.assertTrue(!seriesOf(later).vetoed, "another fixing is not touched");
        bytes memory again = attestation(putId, 60, FINAL_AT);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, putId));
        core.settleWithAttestation(putId, 60, FINAL_AT, again);
    }

    function test_after_a_veto_the_market_decides() external {
        settle(callId, 59);
        veto(callId);
        market.resolve(CONDITION, 1, 0);
        vm.warp(EXPIRY + 30 days);
        settleByMarket();
        expectPrice(callId, 100, EXPIRY + 30 days);
    }

    function test_after_a_veto_the_owners_price_is_final_at_once() external {
        settle(callId, 59);
        veto(callId);
        vm.warp(EXPIRY + 3 days);
        vm.prank(owner);
        core.proposeManual(callId, 70);
        vm.warp(EXPIRY + 4 days);
        vm.prank(owner);
        core.executeManual(callId);
        vm.assertEq(seriesOf(callId).finalAt, EXPIRY + 4 days, "final at once");
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, EXPIRY + 4 days));
        veto(callId);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 6), 6 * 250_000, "holder");
    }

    function test_a_final_price_is_not_taken_back() external {
        settle(callId, 59);
        for (uint64 later = 0; later <= 1 days; later += 1 days) {
            vm.warp(FINAL_AT + later);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, FINAL_AT));
            veto(callId);
        }
    }

    function test_without_a_price_there_is_nothing_to_take_back() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        veto(callId);
        settle(callId, 59);
        veto(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        veto(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(guardian);
        core.vetoSeries(1);
    }

    function test_only_the_guardian_takes_a_price_back() external {
        settle(callId, 59);
        address[5] memory others = [owner, stranger, signer, registrar, halter];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Guardian, others[i]));
            vm.prank(others[i]);
            core.vetoSeries(callId);
        }
    }

    function createLater() private returns (uint256) {
        vm.warp(START);
        return createSeries(4500, EXPIRY + 1, 0);
    }

    function refusesClaims(bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(taker);
        core.claimHolderPayout(callId, 6);
        vm.expectRevert(reason);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.expectRevert(reason);
        core.payoff(callId);
    }
}
