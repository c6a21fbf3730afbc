// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {PricesWorld} from "../support/PricesWorld.sol";
import {IERC1155Errors, IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title StolenKeyTest
/// @notice A thief has the key of an office, or of two, or none: each test is a cell of the table on the trust page.
contract StolenKeyTest is PricesWorld {
    IRoles.Role private constant OWNER = IRoles.Role.Owner;
    IRoles.Role private constant GUARDIAN = IRoles.Role.Guardian;
    IRoles.Role private constant SIGNER = IRoles.Role.ResolutionSigner;
    IRoles.Role private constant REGISTRAR = IRoles.Role.Registrar;
    IRoles.Role private constant HALTER = IRoles.Role.Halter;

    /// @dev Calls that are an officer's own, for `refusesOffices`.
    uint256 private constant MAY_REGISTER = 1;
    uint256 private constant MAY_HALT = 2;
    uint256 private constant MAY_VETO = 4;
    uint256 private constant MAY_REVOKE = 8;

    uint256 private constant THIEF_KEY = 0x7E1F;
    address private immutable thief = vm.addr(THIEF_KEY);

    uint256 private constant AMOUNT = 250;
    uint256 private constant AT_100 = AMOUNT * 550_000;

    uint64 private constant LATER = EXPIRY + 3 days;
    uint256 private laterId;

    /// @dev The thief holds 250 calls of two expiries, bought for a cent each; the market comes to 0, so that they are worthless.
    function setUp() public override {
        super.setUp();
        laterId = createSeries(4500, LATER, 0);
        fund(thief);
        buy(callId, 0);
        buy(laterId, 1);
        market.resolve(CONDITION, 0, 1);
    }

    // The registrar's key.

    function test_a_stolen_registrar_key_registers_series_of_any_pair() external {
        bytes32 condition = bytes32(uint256(0xBAD));
        uint256 token = market.tokenOf(conditionCollateral, condition, 0);
        vm.prank(registrar);
        uint256 id = core.createSeries(condition, token, conditionCollateral, 5000, EXPIRY, 0);
        vm.assertTrue(seriesOf(id).fixing != seriesOf(callId).fixing, "with a price of its own");
    }

    function test_a_stolen_registrar_key_pairs_no_token_with_another_market() external {
        bytes32 condition = bytes32(uint256(0xBAD));
        isRefused(
            registrar,
            abi.encodeCall(core.createSeries, (condition, yesToken, conditionCollateral, 5000, EXPIRY, 0)),
            abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, condition, yesToken, conditionCollateral)
        );
    }

    function test_a_stolen_registrar_key_changes_nothing_that_exists() external {
        bytes memory before = abi.encode(seriesOf(callId));
        isRefused(
            registrar,
            abi.encodeCall(core.createSeries, (CONDITION, yesToken, conditionCollateral, 4500, EXPIRY, 0)),
            abi.encodeWithSelector(IServiceCore.SeriesExists.selector, callId)
        );
        refusesOffices(registrar, MAY_REGISTER);
        vm.assertEq(keccak256(abi.encode(seriesOf(callId))), keccak256(before), "series");
    }

    function test_a_stolen_registrar_key_ends_with_one_call_of_the_owner() external {
        vm.prank(owner);
        core.setRole(REGISTRAR, next);
        refusesOffices(registrar, 0);
    }

    // The halter's key.

    function test_a_stolen_halter_key_stops_trading() external {
        haltBy(halter, true);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.nonce = 2;
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_a_stolen_halter_key_stops_no_exit() external {
        haltBy(halter, true);
        vm.prank(thief);
        core.safeTransferFrom(thief, maker, callId, 50, "");
        vm.prank(maker);
        core.closePosition(callId, 50, maker);
        settle(callId, 60);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(thief, callId), 200 * 150_000, "holder");
        vm.assertEq(core.claimAllFor(maker, callId), 200 * 400_000, "writer");
    }

    function test_a_stolen_halter_key_does_nothing_else() external {
        refusesOffices(halter, MAY_HALT);
    }

    function test_a_stolen_halter_key_ends_with_one_call_of_the_owner_who_resumes() external {
        haltBy(halter, true);
        vm.prank(owner);
        core.setRole(HALTER, address(0));
        haltBy(owner, false);
        vm.assertTrue(!seriesOf(callId).halted, "resumed");
        refusesOffices(halter, 0);
    }

    // The signer's key.

    function test_a_stolen_signer_key_names_each_due_price_which_is_final_after_the_window() external {
        settle(callId, 100);
        vm.warp(FINAL_AT - 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, callId, FINAL_AT));
        core.claimAllFor(thief, callId);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "if no one looks");
    }

    function test_a_stolen_signer_key_names_no_price_before_expiry_or_for_later() external {
        vm.warp(EXPIRY - 1);
        bytes memory early = attestation(callId, 100, EXPIRY);
        isRefused(
            thief,
            abi.encodeCall(core.settleWithAttestation, (callId, 100, EXPIRY, early)),
            abi.encodeWithSelector(IServiceCore.SeriesNotExpired.selector, callId, EXPIRY)
        );
        bytes memory kept = attestation(callId, 100, EXPIRY + 1 days);
        isRefused(
            thief,
            abi.encodeCall(core.settleWithAttestation, (callId, 100, EXPIRY + 1 days, kept)),
            abi.encodeWithSelector(IServiceCore.AttestationTooFarAhead.selector, EXPIRY + 1 days, EXPIRY - 1)
        );
    }

    function test_a_stolen_signer_key_changes_no_price() external {
        settle(callId, 59);
        bytes memory signature = attestation(callId, 100, EXPIRY);
        bytes memory call = abi.encodeCall(core.settleWithAttestation, (callId, 100, EXPIRY, signature));
        isRefused(thief, call, abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        veto(callId);
        isRefused(thief, call, abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, callId));
    }

    function test_a_stolen_signer_key_does_nothing_else() external {
        refusesOffices(signer, 0);
    }

    function test_one_revocation_voids_all_that_a_stolen_signer_key_booked() external {
        bytes32 other = bytes32(uint256(0xC1));
        uint256 token = market.tokenOf(conditionCollateral, other, 0);
        vm.prank(registrar);
        uint256 otherId = core.createSeries(other, token, conditionCollateral, 4500, EXPIRY, 0);
        vm.warp(LATER);
        settle(callId, 100);
        settle(laterId, 100);
        settle(otherId, 0);
        address[2] memory officers = [guardian, owner];
        for (uint256 i = 0; i < 2; ++i) {
            uint256 before = vm.snapshotState();
            vm.warp(LATER + WINDOW - 1);
            vm.prank(officers[i]);
            core.removeFromRole(SIGNER, signer);
            expectNoPrice(callId);
            expectNoPrice(putId);
            expectNoPrice(laterId);
            expectNoPrice(otherId);
            vm.revertToState(before);
        }
    }

    function test_a_new_signer_prices_what_a_stolen_key_had_booked() external {
        vm.warp(EXPIRY);
        settle(callId, 100);
        revokeSigner();
        propose(SIGNER, next);
        vm.warp(EXPIRY + 3 days - 1);
        settleIsRefused(callId, 100, address(0));
        vm.warp(EXPIRY + 3 days);
        confirm(SIGNER, next);
        settleBy(NEXT_KEY, callId, 0);
        settleIsRefused(laterId, 100, next);
        vm.warp(EXPIRY + 3 days + WINDOW);
        vm.assertEq(core.claimAllFor(thief, callId), 0, "the thief");
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "the writer");
    }

    function test_a_stolen_signer_key_is_never_a_signer_again() external {
        revokeSigner();
        isRefused(
            owner,
            abi.encodeCall(core.proposeRole, (SIGNER, signer)),
            abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, signer)
        );
    }

    /// @dev The sandbox: a window of 0 seconds.
    function test_without_a_window_a_price_of_a_stolen_signer_key_is_final_at_once() external {
        withoutWindowAndMarket();
        settle(callId, 100);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "in the same block");
    }

    // The guardian's key.

    function test_a_stolen_guardian_key_makes_all_wait_for_the_market() external {
        haltBy(guardian, true);
        settle(callId, 0);
        veto(callId);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, signer);
        vm.warp(EXPIRY + 3 days);
        settleByMarket();
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "the writer");
        core.claimAllFor(thief, callId);
    }

    function test_a_stolen_guardian_key_delays_the_owners_price_once() external {
        settle(callId, 0);
        veto(callId);
        market.resolve(CONDITION, 0, 0);
        vm.warp(EXPIRY + 3 days);
        announce(callId, 0);
        vetoManual(callId);
        vm.warp(EXPIRY + 30 days);
        announce(callId, 0);
        isRefused(
            guardian,
            abi.encodeCall(core.vetoManual, (callId)),
            abi.encodeWithSelector(IServiceCore.ManualVetoUsed.selector, callId)
        );
        vm.warp(EXPIRY + 31 days);
        execute(callId);
        expectPrice(callId, 0, EXPIRY + 31 days);
    }

    /// @dev The average of the last half hour was 45, and the market came to 100.
    function test_a_stolen_guardian_key_chooses_the_markets_price_for_the_signers() external {
        market.resolve(CONDITION, 1, 0);
        settle(callId, 45);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, signer);
        vm.warp(EXPIRY + 3 days);
        settleByMarket();
        expectPrice(callId, 100, EXPIRY + 3 days);
    }

    function test_a_stolen_guardian_key_names_no_price_and_no_one_and_resumes_nothing() external {
        refusesOffices(guardian, MAY_HALT | MAY_VETO | MAY_REVOKE);
        settle(callId, 0);
        vm.warp(FINAL_AT);
        isRefused(
            guardian,
            abi.encodeCall(core.vetoSeries, (callId)),
            abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, FINAL_AT)
        );
    }

    function test_a_stolen_guardian_key_stops_each_signer_and_owner_until_it_is_replaced() external {
        propose(OWNER, next);
        propose(SIGNER, next);
        propose(GUARDIAN, next);
        vm.prank(guardian);
        core.removeFromRole(OWNER, next);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, next);
        isRefused(
            guardian,
            abi.encodeCall(core.removeFromRole, (GUARDIAN, next)),
            abi.encodeWithSelector(IRoles.NotInRole.selector, GUARDIAN, guardian)
        );
        vm.warp(START + 3 days);
        confirm(GUARDIAN, next);
        refusesOffices(guardian, 0);
    }

    // The owner's key.

    /// @dev The thief removes the signer, so that nothing is attested, waits and announces 100.
    function test_the_guardian_takes_back_the_price_of_a_stolen_owner_key_and_the_market_decides() external {
        market.resolve(CONDITION, 0, 0);
        vm.warp(EXPIRY - 1);
        revokeSigner();
        settleIsRefused(callId, 0, address(0));
        vm.warp(EXPIRY + 7 days);
        announce(callId, 100);
        vetoManual(callId);
        vm.warp(EXPIRY + 8 days);
        isRefused(
            owner,
            abi.encodeCall(core.executeManual, (callId)),
            abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId)
        );
        isRefused(
            owner,
            abi.encodeCall(core.proposeManual, (callId, 100)),
            abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 30 days, EXPIRY + 8 days)
        );
        market.resolve(CONDITION, 0, 1);
        settleByMarket();
        vm.assertEq(core.claimAllFor(thief, callId), 0, "the thief");
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "the writer");
    }

    function test_a_market_that_resolves_in_time_comes_before_a_stolen_owner_key() external {
        vm.warp(EXPIRY - 1);
        revokeSigner();
        vm.warp(EXPIRY + 3 days);
        isRefused(
            owner,
            abi.encodeCall(core.proposeManual, (callId, 100)),
            abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 7 days, EXPIRY + 3 days)
        );
        settleByMarket();
        expectPrice(callId, 0, EXPIRY + 3 days);
    }

    /// @dev The void price leaves the fixing to the market, which decides as if it had never been.
    function test_a_stolen_owner_key_voids_what_the_signer_booked_and_names_nothing_in_its_place() external {
        settle(callId, 0);
        revokeSigner();
        expectNoPrice(callId);
        isRefused(
            owner,
            abi.encodeCall(core.proposeManual, (callId, 100)),
            abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 7 days, EXPIRY)
        );
        vm.warp(EXPIRY + 3 days);
        settleByMarket();
        expectPrice(callId, 0, EXPIRY + 3 days);
    }

    function test_a_stolen_owner_key_names_a_price_where_the_market_is_silent_for_31_days() external {
        market.resolve(CONDITION, 0, 0);
        vm.warp(EXPIRY - 1);
        revokeSigner();
        vm.warp(EXPIRY + 7 days);
        announce(callId, 100);
        vetoManual(callId);
        vm.warp(EXPIRY + 30 days);
        announce(callId, 100);
        vm.warp(EXPIRY + 31 days);
        execute(callId);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "the thief");
    }

    function test_a_stolen_owner_key_names_a_price_after_8_days_where_there_is_no_last_resort() external {
        withoutWindowAndMarket();
        vm.warp(EXPIRY - 1);
        revokeSigner();
        vm.warp(EXPIRY + 7 days);
        announce(callId, 100);
        isRefused(
            guardian,
            abi.encodeCall(core.vetoManual, (callId)),
            abi.encodeWithSelector(IServiceCore.LastResortMissing.selector)
        );
        vm.warp(EXPIRY + 8 days);
        execute(callId);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "the thief");
    }

    /// @dev The guardian cannot stop its successor; who has the same key can, for as long as it takes back each proposal.
    function test_a_stolen_owner_key_has_a_signer_of_its_own_after_six_days() external {
        revokeSigner();
        propose(GUARDIAN, thief);
        vm.warp(START + 3 days - 1);
        isRefused(
            thief,
            abi.encodeCall(core.confirmRole, (GUARDIAN)),
            abi.encodeWithSelector(IRoles.TooEarly.selector, START + 3 days, START + 3 days - 1)
        );
        // Until then the guardian takes each proposal for a signer back.
        propose(SIGNER, thief);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, thief);
        isRefused(
            owner,
            abi.encodeCall(core.proposeRole, (SIGNER, thief)),
            abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, thief)
        );
        vm.warp(START + 3 days);
        confirm(GUARDIAN, thief);
        propose(SIGNER, next);
        vm.warp(START + 6 days);
        confirm(SIGNER, next);
        vm.warp(EXPIRY);
        settleBy(NEXT_KEY, callId, 100);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "what expires later than six days is the thief's");
    }

    function test_a_stolen_owner_key_is_held_off_by_its_rightful_holder() external {
        propose(GUARDIAN, thief);
        vm.prank(owner);
        core.removeFromRole(GUARDIAN, thief);
        vm.warp(START + 3 days);
        isRefused(
            thief,
            abi.encodeCall(core.confirmRole, (GUARDIAN)),
            abi.encodeWithSelector(IRoles.ProposalMissing.selector, GUARDIAN)
        );
    }

    function test_the_guardian_keeps_a_stolen_owner_key_from_a_new_owner_or_signer() external {
        propose(OWNER, thief);
        propose(SIGNER, thief);
        vm.prank(guardian);
        core.removeFromRole(OWNER, thief);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, thief);
        vm.warp(START + 3 days);
        isRefused(
            thief,
            abi.encodeCall(core.confirmRole, (OWNER)),
            abi.encodeWithSelector(IRoles.ProposalMissing.selector, OWNER)
        );
        isRefused(
            thief,
            abi.encodeCall(core.confirmRole, (SIGNER)),
            abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER)
        );
    }

    function test_a_stolen_owner_key_sets_registrar_halter_and_caps_and_resumes_at_once() external {
        haltBy(guardian, true);
        haltBy(owner, false);
        vm.prank(owner);
        core.setRole(REGISTRAR, thief);
        vm.prank(owner);
        core.setRole(HALTER, thief);
        vm.prank(owner);
        core.setDefaultCap(1);
        vm.assertTrue(!seriesOf(callId).halted, "resumed");
        vm.assertEq(core.holderOf(REGISTRAR), thief, "registrar");
        vm.assertEq(core.holderOf(HALTER), thief, "halter");
        vm.assertEq(core.exposureOf(callId).cap, 0, "what exists keeps its cap");
    }

    function test_a_stolen_owner_key_takes_no_options_collateral_or_final_price() external {
        settle(callId, 0);
        vm.warp(FINAL_AT);
        revokeSigner();
        takesNothing(owner);
        isRefused(
            owner,
            abi.encodeCall(core.proposeManual, (callId, 100)),
            abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 0)
        );
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "the writer");
    }

    // The keys of guardian and signer.

    function test_stolen_guardian_and_signer_keys_name_each_due_price_while_the_owner_sleeps() external {
        settle(callId, 100);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "the thief");
    }

    function test_the_owner_voids_what_stolen_guardian_and_signer_keys_booked_and_the_market_decides() external {
        settle(callId, 100);
        vm.warp(FINAL_AT - 1);
        revokeSigner();
        expectNoPrice(callId);
        propose(SIGNER, next);
        vm.prank(guardian);
        core.removeFromRole(SIGNER, next);
        vm.warp(FINAL_AT - 1 + 3 days);
        settleByMarket();
        expectPrice(callId, 0, FINAL_AT - 1 + 3 days);
        vm.assertEq(core.claimAllFor(thief, callId), 0, "the thief");
    }

    function test_stolen_guardian_and_signer_keys_name_no_successor_and_no_second_price() external {
        refusesOffices(signer, 0);
        refusesOffices(guardian, MAY_HALT | MAY_VETO | MAY_REVOKE);
        settle(callId, 100);
        veto(callId);
        bytes memory signature = attestation(callId, 100, EXPIRY);
        isRefused(
            thief,
            abi.encodeCall(core.settleWithAttestation, (callId, 100, EXPIRY, signature)),
            abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, callId)
        );
        takesNothing(guardian);
    }

    // The keys of owner and guardian.

    function test_stolen_owner_and_guardian_keys_name_a_price_four_days_after_expiry() external {
        settle(callId, 0);
        veto(callId);
        vm.warp(EXPIRY + 3 days);
        announce(callId, 100);
        isRefused(
            stranger,
            abi.encodeCall(core.settleFromCondition, (termsOf(4500, EXPIRY, 0))),
            abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 30 days, EXPIRY + 3 days)
        );
        vm.warp(EXPIRY + 4 days);
        execute(callId);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "the thief");
    }

    function test_stolen_owner_and_guardian_keys_have_a_signer_of_their_own_after_three_days() external {
        revokeSigner();
        propose(SIGNER, thief);
        vm.warp(START + 3 days);
        confirm(SIGNER, thief);
        vm.warp(EXPIRY);
        settleBy(THIEF_KEY, callId, 100);
        vm.warp(FINAL_AT);
        vm.assertEq(core.claimAllFor(thief, callId), AT_100, "the thief");
    }

    function test_both_sides_leave_while_owner_and_guardian_keys_are_stolen() external {
        haltBy(guardian, true);
        settle(callId, 0);
        veto(callId);
        vm.warp(EXPIRY + 4 days);
        vm.prank(thief);
        core.safeTransferFrom(thief, maker, callId, AMOUNT, "");
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, AMOUNT, maker), AT_100, "returned");
    }

    function test_stolen_owner_and_guardian_keys_change_no_final_price_and_take_nothing() external {
        settle(callId, 0);
        vm.warp(FINAL_AT);
        revokeSigner();
        isRefused(
            guardian,
            abi.encodeCall(core.vetoSeries, (callId)),
            abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, FINAL_AT)
        );
        takesNothing(owner);
        takesNothing(guardian);
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "the writer");
    }

    // No key: a stranger, or a relay, which has no more.

    function test_a_stranger_passes_on_what_others_signed() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 0, EXPIRY);
        vm.prank(stranger);
        core.settleWithAttestation(callId, 0, EXPIRY, signature);
        vm.warp(FINAL_AT);
        vm.prank(stranger);
        vm.assertEq(core.claimAllFor(maker, callId), AT_100, "paid to the writer");
        vm.assertEq(usd.balanceOf(stranger), 0, "and nothing to the stranger");
    }

    function test_a_stranger_names_no_price() external {
        vm.warp(EXPIRY);
        bytes memory signature = sign(THIEF_KEY, core.hashAttestation(callId, 100, EXPIRY));
        isRefused(
            stranger,
            abi.encodeCall(core.settleWithAttestation, (callId, 100, EXPIRY, signature)),
            abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, thief, signer)
        );
        isRefused(
            stranger,
            abi.encodeCall(core.settleFromCondition, (termsOf(4500, EXPIRY, 0))),
            abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 30 days, EXPIRY)
        );
    }

    function test_a_stranger_holds_no_office_and_takes_nothing() external {
        refusesOffices(stranger, 0);
        takesNothing(stranger);
    }

    /// @dev 22 packages of a call and the call at 0.9999 pay as the call does; each had a cap of its own once.
    function test_a_stranger_multiplies_no_cap_by_packages() external {
        uint64 cap = uint64(AT_100);
        uint64 expiry = EXPIRY + 2;
        vm.prank(owner);
        core.setDefaultCap(cap);
        uint256 call = createSeries(4500, expiry, 0);
        createSeries(9999, expiry, 0);
        uint256[] memory packages = new uint256[](22);
        uint256 count;
        for (int8 q = 1; q <= 4; ++q) {
            for (int8 r = -4; r <= 4; ++r) {
                if (r == 0 || haveDivisor(q, r)) continue;
                vm.prank(stranger);
                packages[count++] =
                    core.createPackage(CONDITION, yesToken, expiry, leg(q, 0, 4500) | leg(r, 0, 9999) << 32);
            }
        }
        vm.assertEq(count, 22, "packages");
        buy(call, 2);
        for (uint256 i = 0; i < count; ++i) {
            uint256 most = core.maxPayoff(packages[i]);
            vm.assertEq(seriesOf(packages[i]).openInterestCap, 0, "no room");
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.ExposureAboveCap.selector, packages[i], cap, most, cap));
            vm.prank(address(settlement));
            core.openPositionPaidBy(maker, maker, thief, packages[i], 1);
        }
        vm.assertEq(core.exposureOf(packages[0]).owed, cap, "all that the market can owe");
        vm.assertEq(core.exposureOf(call).cap, cap, "is its cap");
    }

    /// @dev Each call of an office is refused, but for those that are the officer's own.
    function refusesOffices(address officer, uint256 own) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        if (own & MAY_REGISTER == 0) {
            bytes memory register =
                abi.encodeCall(core.createSeries, (CONDITION, yesToken, conditionCollateral, 5000, LATER, 0));
            isRefused(officer, register, notIn(REGISTRAR, officer));
        }
        if (own & MAY_HALT == 0) {
            isRefused(officer, abi.encodeCall(core.setHalted, (ids, true)), notIn(HALTER, officer));
        }
        if (own & MAY_VETO == 0) {
            isRefused(officer, abi.encodeCall(core.vetoSeries, (callId)), notIn(GUARDIAN, officer));
            isRefused(officer, abi.encodeCall(core.vetoManual, (callId)), notIn(GUARDIAN, officer));
        }
        if (own & MAY_REVOKE == 0) {
            isRefused(officer, abi.encodeCall(core.removeFromRole, (SIGNER, signer)), notIn(GUARDIAN, officer));
        }
        isRefused(officer, abi.encodeCall(core.setHalted, (ids, false)), notIn(OWNER, officer));
        isRefused(officer, abi.encodeCall(core.setDefaultCap, (0)), notIn(OWNER, officer));
        isRefused(officer, abi.encodeCall(core.setRole, (REGISTRAR, thief)), notIn(OWNER, officer));
        isRefused(officer, abi.encodeCall(core.setRole, (HALTER, thief)), notIn(OWNER, officer));
        isRefused(officer, abi.encodeCall(core.proposeManual, (callId, 100)), notIn(OWNER, officer));
        isRefused(officer, abi.encodeCall(core.executeManual, (callId)), notIn(OWNER, officer));
        for (uint8 role = 0; role < 3; ++role) {
            bytes memory call = abi.encodeCall(core.proposeRole, (IRoles.Role(role), thief));
            isRefused(officer, call, notIn(OWNER, officer));
        }
    }

    /// @dev The core moves options and collateral for the settlement contract, holders and writers alone.
    function takesNothing(address officer) private {
        bytes memory notSettlement = abi.encodeWithSelector(IServiceCore.NotSettlement.selector, officer);
        isRefused(officer, abi.encodeCall(core.openPositionPaidBy, (maker, maker, officer, laterId, 1)), notSettlement);
        isRefused(officer, abi.encodeCall(core.sellLongs, (thief, officer, laterId, 1)), notSettlement);
        isRefused(officer, abi.encodeCall(core.closeFor, (laterId, maker, 1)), notSettlement);
        isRefused(
            officer,
            abi.encodeCall(core.safeTransferFrom, (thief, officer, laterId, 1, "")),
            abi.encodeWithSelector(IERC1155Errors.ERC1155MissingApprovalForAll.selector, officer, thief)
        );
        isRefused(
            officer,
            abi.encodeCall(core.closePosition, (laterId, 1, officer)),
            abi.encodeWithSelector(IServiceCore.ShortInsufficient.selector, laterId, officer, 0, 1)
        );
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, officer, 0, 1));
        vm.prank(officer);
        usd.transferFrom(address(core), officer, 1);
    }

    function settleIsRefused(uint256 seriesId, uint16 resolutionBps, address active) private {
        uint256 validUntil = block.timestamp + 1;
        bytes memory signature = attestation(seriesId, resolutionBps, validUntil);
        isRefused(
            thief,
            abi.encodeCall(core.settleWithAttestation, (seriesId, resolutionBps, validUntil, signature)),
            abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, active)
        );
    }

    function isRefused(address by, bytes memory call, bytes memory reason) private {
        vm.prank(by);
        (bool passed, bytes memory given) = address(core).call(call);
        vm.assertTrue(!passed, "refused");
        vm.assertEq(keccak256(given), keccak256(reason), "reason");
    }

    function notIn(IRoles.Role role, address officer) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IRoles.NotInRole.selector, role, officer);
    }

    function haltBy(address officer, bool halted) private {
        uint256[] memory ids = new uint256[](3);
        (ids[0], ids[1], ids[2]) = (callId, putId, laterId);
        vm.prank(officer);
        core.setHalted(ids, halted);
    }

    /// @dev The maker sells 250 options to the thief for a cent each.
    function buy(uint256 seriesId, uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.taker, order.nonce) = (seriesId, thief, nonce);
        (order.optionAmount, order.premiumAmount) = (AMOUNT, AMOUNT * 10_000);
        fill(order);
    }

    /// @dev The same series on a core as the sandbox has it.
    function withoutWindowAndMarket() private {
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        fund(maker);
        fund(thief);
        buy(callId, 0);
    }

    function haveDivisor(int8 q, int8 r) private pure returns (bool) {
        int8 size = r < 0 ? -r : r;
        return (q % 2 == 0 && size % 2 == 0) || (q == 3 && size == 3);
    }
}
