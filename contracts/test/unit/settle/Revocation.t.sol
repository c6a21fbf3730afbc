// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title RevocationTest
/// @notice A revocation of the active signer voids what it attested in its term and is not final.
contract RevocationTest is PricesWorld {
    IRoles.Role private constant SIGNER = IRoles.Role.ResolutionSigner;

    bytes32 private constant OTHER = bytes32(uint256(0xC1));

    function test_a_revocation_voids_what_is_not_final() external {
        trade(callId, 10, 0);
        settle(callId, 59);
        vm.warp(EXPIRY + 1 hours);
        revokeSigner();
        vm.assertEq(core.termRevokedAt(1), EXPIRY + 1 hours, "revoked at");
        expectNoPrice(callId);
        expectNoPrice(putId);
        vm.warp(EXPIRY + 365 days);
        expectNoPrice(callId);
        bytes memory reason = abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId);
        vm.expectRevert(reason);
        core.payoff(callId);
        vm.expectRevert(reason);
        vm.prank(taker);
        core.claimHolderPayout(callId, 10);
        vm.expectRevert(reason);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.expectRevert(reason);
        core.claimAllFor(taker, callId);
    }

    function test_a_revocation_a_second_before_a_price_is_final_voids_it() external {
        settle(callId, 59);
        vm.warp(FINAL_AT - 1);
        revokeSigner();
        expectNoPrice(callId);
        vm.warp(FINAL_AT);
        expectNoPrice(callId);
    }

    function test_a_revocation_in_the_second_at_which_a_price_is_final_leaves_it() external {
        trade(callId, 10, 0);
        settle(callId, 59);
        vm.warp(FINAL_AT);
        revokeSigner();
        expectPrice(callId, 59, FINAL_AT);
        vm.assertEq(core.claimAllFor(taker, callId), 10 * 140_000, "claimed");
    }

    function test_a_revocation_leaves_what_is_final() external {
        trade(callId, 10, 0);
        settle(callId, 59);
        vm.warp(FINAL_AT + 30 days);
        uint256 before = vm.snapshotState();
        revokeSigner();
        expectPrice(callId, 59, FINAL_AT);
        vm.assertEq(core.claimAllFor(taker, callId), 10 * 140_000, "a first claim after it");
        vm.revertToState(before);
        core.claimAllFor(taker, callId);
        revokeSigner();
        expectPrice(callId, 59, FINAL_AT);
        vm.assertEq(core.claimAllFor(maker, callId), 10 * 410_000, "a later claim after it");
    }

    function test_one_revocation_voids_every_price_of_the_term() external {
        uint256 token = market.tokenOf(conditionCollateral, OTHER, 0);
        vm.prank(registrar);
        uint256 other = core.createSeries(OTHER, token, conditionCollateral, 4500, EXPIRY, 0);
        uint256 early = createSeries(4500, EXPIRY - 1 days, 0);
        vm.warp(EXPIRY - 1 days);
        core.settleWithAttestation(early, 20, EXPIRY - 1 days, attestation(early, 20, EXPIRY - 1 days));
        settle(callId, 59);
        settle(other, 40);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, signer);
        expectNoPrice(callId);
        expectNoPrice(other);
        expectPrice(early, 20, EXPIRY - 1 days + WINDOW);
    }

    /// @dev The sandbox has no window: what is booked is final in the same block.
    function test_without_a_window_a_revocation_voids_nothing() external {
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        settle(callId, 59);
        revokeSigner();
        expectPrice(callId, 59, EXPIRY);
        vm.assertEq(core.payoff(callId), 140_000, "payoff");
    }

    function test_a_new_signer_prices_again_what_was_voided() external {
        trade(callId, 10, 0);
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 100);
        revokeSigner();
        confirm(SIGNER, next);
        vm.assertEq(core.signerTerm(), 2, "term");
        settleBy(NEXT_KEY, putId, 59);
        expectPrice(callId, 59, FINAL_AT);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(taker, callId), 10 * 140_000, "at the new price");
    }

    function test_a_price_of_the_next_term_is_voided_by_its_own_revocation_alone() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 100);
        revokeSigner();
        confirm(SIGNER, next);
        settleBy(NEXT_KEY, callId, 59);
        vm.assertEq(core.termRevokedAt(2), 0, "not revoked");
        expectPrice(callId, 59, FINAL_AT);
        vm.warp(FINAL_AT - 1);
        revokeSigner();
        vm.assertEq(core.termRevokedAt(1), EXPIRY, "first term");
        vm.assertEq(core.termRevokedAt(2), FINAL_AT - 1, "second term");
        expectNoPrice(callId);
    }

    function test_the_term_of_the_largest_number_is_revoked_as_any_other() external {
        uint32 most = type(uint32).max;
        setSignerTerm(most);
        vm.assertEq(core.signerTerm(), most, "term");
        settle(callId, 59);
        expectPrice(callId, 59, FINAL_AT);
        revokeSigner();
        vm.assertEq(core.termRevokedAt(most), EXPIRY, "revoked at");
        expectNoPrice(callId);
    }

    function test_the_former_signer_does_not_price_again_what_was_voided() external {
        settle(callId, 100);
        revokeSigner();
        bytes memory signature = attestation(callId, 100, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, address(0)));
        core.settleWithAttestation(callId, 100, EXPIRY, signature);
    }

    function test_a_signer_that_is_replaced_keeps_what_it_attested() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 59);
        confirm(SIGNER, next);
        vm.assertEq(core.termRevokedAt(1), 0, "replaced and not revoked");
        expectPrice(callId, 59, FINAL_AT);
        bytes memory signature = sign(NEXT_KEY, core.hashAttestation(callId, 60, EXPIRY));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        core.settleWithAttestation(callId, 60, EXPIRY, signature);
    }

    function test_a_revocation_leaves_what_a_former_term_attested() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 59);
        confirm(SIGNER, next);
        revokeSigner();
        expectPrice(callId, 59, FINAL_AT);
        vm.warp(FINAL_AT);
        vm.assertEq(core.payoff(callId), 140_000, "payoff");
    }

    function test_the_guardian_vetoes_what_a_former_term_attested() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 59);
        confirm(SIGNER, next);
        veto(callId);
        expectNoPrice(callId);
    }

    function test_a_revocation_of_a_proposed_signer_voids_nothing() external {
        settle(callId, 59);
        propose(SIGNER, next);
        vm.prank(owner);
        core.removeFromRole(SIGNER, next);
        vm.assertEq(core.termRevokedAt(1), 0, "the term lasts");
        expectPrice(callId, 59, FINAL_AT);
    }

    /// @dev A price that is void cannot be vetoed, so that attestations of a later signer stay open.
    function test_a_void_price_is_not_vetoed() external {
        settle(callId, 59);
        revokeSigner();
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        veto(callId);
        vm.assertTrue(!seriesOf(callId).vetoed, "attestations stay open");
    }

    function test_a_price_that_replaces_a_void_one_can_be_vetoed() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        settle(callId, 100);
        revokeSigner();
        confirm(SIGNER, next);
        settleBy(NEXT_KEY, callId, 59);
        vm.expectEmit(address(core));
        emit IServiceCore.PriceVoided(callId, 59);
        veto(callId);
        expectNoPrice(callId);
        vm.assertTrue(seriesOf(callId).vetoed, "vetoed");
    }

    function test_the_owner_and_the_market_price_what_was_voided() external {
        settle(callId, 100);
        revokeSigner();
        market.resolve(CONDITION, 0, 1);
        uint256 before = vm.snapshotState();
        vm.warp(EXPIRY + 3 days);
        settleByMarket();
        expectPrice(callId, 0, EXPIRY + 3 days);
        vm.revertToState(before);
        vm.warp(EXPIRY + 7 days);
        announce(callId, 59);
        vm.warp(EXPIRY + 8 days);
        execute(callId);
        expectPrice(callId, 59, EXPIRY + 8 days);
    }

    function test_a_revocation_leaves_prices_that_no_signer_attested() external {
        vm.warp(EXPIRY + 3 days);
        announce(callId, 70);
        vm.warp(EXPIRY + 4 days);
        execute(callId);
        revokeSigner();
        expectPrice(callId, 70, EXPIRY + 4 days);
        vm.assertEq(core.payoff(callId), 250_000, "payoff");
    }

    function test_closes_of_a_void_price_stay_booked() external {
        trade(callId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 4, "");
        settle(callId, 59);
        vm.prank(maker);
        core.closePosition(callId, 3, maker);
        revokeSigner();
        vm.prank(maker);
        core.closePosition(callId, 1, maker);
        vm.assertEq(seriesOf(callId).openInterest, 6, "open interest");
        vm.assertEq(usd.balanceOf(address(core)), 6 * 550_000, "locked");
    }

    /// @dev It is in the word of the resolution signer, at the high end.
    function setSignerTerm(uint32 term) private {
        uint256 slot;
        while (address(uint160(uint256(vm.load(address(core), bytes32(slot))))) != signer) ++slot;
        uint256 word = uint256(vm.load(address(core), bytes32(slot)));
        vm.assertEq(word >> 224, 1, "the first term by now");
        vm.store(address(core), bytes32(slot), bytes32(word << 32 >> 32 | uint256(term) << 224));
    }
}
