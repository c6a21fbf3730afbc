// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title ManualVetoTest
/// @notice The guardian takes an announced price back once, and the market's own resolution comes first then.
contract ManualVetoTest is PricesWorld {
    uint256 private constant ANNOUNCED = EXPIRY + 3 days;
    uint256 private constant MARKET_AT = EXPIRY + 7 days;
    uint256 private constant OWNER_AT = EXPIRY + 30 days;

    function setUp() public override {
        super.setUp();
        market.resolve(CONDITION, 0, 1);
        vm.warp(ANNOUNCED);
        announce(callId, 100);
    }

    function test_the_guardian_takes_an_announced_price_back() external {
        vm.expectEmit(address(core));
        emit IServiceCore.ManualResolutionVetoed(callId, 100);
        vetoManual(callId);
        IServiceCore.ManualProposal memory proposal = core.manualProposalOf(callId);
        vm.assertEq(proposal.executableAt, 0, "no announcement");
        vm.assertEq(proposal.resolutionBps, 0, "no announcement");
        vm.assertTrue(proposal.vetoed, "vetoed");
        vm.assertEq(proposal.proposableAt, OWNER_AT, "next one from");
        vm.assertEq(core.lastResortAt(callId), MARKET_AT, "last resort from");
        vm.warp(ANNOUNCED + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        execute(callId);
        expectNoPrice(callId);
    }

    function test_it_does_so_for_all_series_of_the_fixing() external {
        vetoManual(putId);
        vm.assertTrue(core.manualProposalOf(callId).vetoed, "vetoed");
        vm.warp(ANNOUNCED + 24 hours);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        execute(callId);
    }

    function test_another_fixing_is_not_touched() external {
        vm.warp(START);
        uint256 other = createSeries(4500, EXPIRY + 1, 0);
        vm.warp(ANNOUNCED + 1);
        announce(other, 70);
        vetoManual(callId);
        vm.assertEq(core.manualProposalOf(other).executableAt, ANNOUNCED + 1 + 24 hours, "announcement");
        vm.assertTrue(!core.manualProposalOf(other).vetoed, "not vetoed");
        vm.assertEq(core.lastResortAt(other), EXPIRY + 1 + 30 days, "last resort from");
    }

    function test_the_market_decides_from_day_7_on() external {
        vetoManual(callId);
        vm.warp(MARKET_AT - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, MARKET_AT, MARKET_AT - 1));
        settleByMarket();
        vm.warp(MARKET_AT);
        settleByMarket();
        expectPrice(callId, 0, MARKET_AT);
    }

    function test_the_owner_announces_again_from_day_30_on() external {
        vetoManual(callId);
        vm.warp(OWNER_AT - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, OWNER_AT, OWNER_AT - 1));
        announce(callId, 70);
        vm.warp(OWNER_AT);
        announce(callId, 70);
        vm.warp(OWNER_AT + 24 hours);
        execute(callId);
        expectPrice(callId, 70, OWNER_AT + 24 hours);
    }

    function test_a_second_announcement_is_not_taken_back() external {
        vetoManual(callId);
        vm.warp(OWNER_AT);
        announce(callId, 70);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualVetoUsed.selector, callId));
        vetoManual(callId);
        vm.assertEq(core.manualProposalOf(callId).executableAt, OWNER_AT + 24 hours, "it stays");
    }

    function test_without_an_announcement_there_is_nothing_to_take_back() external {
        vetoManual(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        vetoManual(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vetoManual(1);
    }

    function test_the_guardian_alone_takes_it_back() external {
        address[5] memory others = [owner, signer, registrar, halter, stranger];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Guardian, others[i]));
            vm.prank(others[i]);
            core.vetoManual(callId);
        }
    }

    /// @dev The owner is the last authority there is on such a core.
    function test_without_a_last_resort_the_announcement_stays() external {
        vm.warp(START);
        (core, settlement) = deploy(address(usd));
        createSeries(4500, EXPIRY, 0);
        vm.warp(ANNOUNCED);
        announce(callId, 100);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.LastResortMissing.selector));
        vetoManual(callId);
        vm.warp(ANNOUNCED + 24 hours);
        execute(callId);
        expectPrice(callId, 100, ANNOUNCED + 24 hours);
    }

    function test_an_executed_price_is_not_taken_back() external {
        vm.warp(ANNOUNCED + 24 hours);
        execute(callId);
        bytes memory settled = abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 100);
        vm.expectRevert(settled);
        vetoManual(callId);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, callId, ANNOUNCED + 24 hours));
        veto(callId);
    }

    /// @dev The signer was silent for three days; the owner of a stolen key announces, the signer attests, the owner revokes it.
    function test_an_announcement_that_an_attestation_beat_is_not_executed_after_a_revocation() external {
        vm.warp(EXPIRY + 3 days);
        announce(callId, 100);
        vm.warp(EXPIRY + 4 days - 1 hours);
        settle(callId, 0);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 0));
        vetoManual(callId);
        vm.warp(EXPIRY + 4 days);
        revokeSigner();
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, callId));
        execute(callId);
    }

    function test_an_attestation_still_wins_after_it() external {
        vetoManual(callId);
        settle(callId, 59);
        expectPrice(callId, 59, ANNOUNCED + WINDOW);
        vm.warp(MARKET_AT);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        settleByMarket();
    }

    function test_a_price_that_is_not_final_keeps_the_announcement_from_a_veto() external {
        settle(callId, 59);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        vetoManual(callId);
    }

    function test_a_price_that_was_voided_gives_no_second_veto() external {
        vetoManual(callId);
        settle(callId, 59);
        revokeSigner();
        vm.warp(OWNER_AT);
        announce(callId, 70);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualVetoUsed.selector, callId));
        vetoManual(callId);
    }

    function test_an_announcement_after_a_vetoed_price_opens_no_attestation() external {
        settle(callId, 59);
        veto(callId);
        announce(callId, 70);
        bytes memory signature = attestation(callId, 59, ANNOUNCED);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, callId));
        core.settleWithAttestation(callId, 59, ANNOUNCED, signature);
        vm.assertTrue(seriesOf(callId).vetoed, "vetoed");
    }

    function test_a_lapsed_announcement_can_be_taken_back() external {
        vm.warp(ANNOUNCED + 72 hours + 1);
        vetoManual(callId);
        vm.assertTrue(core.manualProposalOf(callId).vetoed, "vetoed");
    }

    function test_both_vetoes_leave_the_market() external {
        settle(callId, 59);
        veto(callId);
        announce(callId, 100);
        vetoManual(callId);
        bytes memory signature = attestation(callId, 59, ANNOUNCED);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, callId));
        core.settleWithAttestation(callId, 59, ANNOUNCED, signature);
        vm.warp(MARKET_AT);
        settleByMarket();
        expectPrice(callId, 0, MARKET_AT);
    }

    /// @dev The vacancy would open the market later than the veto does.
    function test_a_later_vacancy_does_not_delay_the_market() external {
        vetoManual(callId);
        vm.warp(EXPIRY + 6 days);
        revokeSigner();
        vm.assertEq(core.lastResortAt(callId), MARKET_AT, "last resort from");
        vm.assertEq(core.manualProposalOf(callId).proposableAt, OWNER_AT, "owner from");
    }

    function test_an_earlier_vacancy_opens_the_market_sooner() external {
        vetoManual(callId);
        vm.warp(ANNOUNCED + 12 hours);
        revokeSigner();
        vm.assertEq(core.lastResortAt(callId), ANNOUNCED + 12 hours + 3 days, "last resort from");
    }
}
