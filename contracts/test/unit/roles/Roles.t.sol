// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title RolesTest
/// @notice The owner proposes and revokes the holders of roles, and a proposed account takes its role by itself.
contract RolesTest is World {
    uint256 private constant NEXT_KEY = 0x4E4;
    address private immutable next = vm.addr(NEXT_KEY);

    IRoles.Role private constant OWNER = IRoles.Role.Owner;
    IRoles.Role private constant GUARDIAN = IRoles.Role.Guardian;
    IRoles.Role private constant SIGNER = IRoles.Role.ResolutionSigner;
    IRoles.Role private constant REGISTRAR = IRoles.Role.Registrar;
    IRoles.Role private constant HALTER = IRoles.Role.Halter;

    function test_a_proposed_account_takes_its_role_three_days_later() external {
        address[3] memory holders = [owner, guardian, signer];
        // The owner last: it could not propose the others after that.
        for (uint8 i = 3; i > 0; --i) {
            IRoles.Role role = IRoles.Role(i - 1);
            uint256 from = block.timestamp + 3 days;
            vm.expectEmit(address(core));
            emit IRoles.RoleProposed(role, next, uint64(from), uint64(from + 7 days));
            propose(role, next);
            expectPending(role, next, from);
            vm.assertEq(core.holderOf(role), holders[i - 1], "still in role");

            vm.warp(from);
            vm.expectEmit(address(core));
            emit IRoles.RoleChanged(role, holders[i - 1], next);
            confirm(role);
            vm.assertEq(core.holderOf(role), next, "in role");
            expectPending(role, address(0), 0);
        }
        vm.assertEq(core.owner(), next, "owner");
        vm.assertEq(core.resolutionSigner(), next, "signer");
    }

    function test_a_proposal_is_confirmed_from_day_3_to_day_10() external {
        for (uint8 i = 3; i > 0; --i) {
            uint256 proposedAt = block.timestamp;
            IRoles.Role role = IRoles.Role(i - 1);
            propose(role, next);
            vm.warp(proposedAt + 3 days - 1);
            vm.expectRevert(
                abi.encodeWithSelector(IRoles.TooEarly.selector, proposedAt + 3 days, proposedAt + 3 days - 1)
            );
            confirm(role);
            vm.warp(proposedAt + 10 days + 1);
            vm.expectRevert(
                abi.encodeWithSelector(IRoles.TooLate.selector, proposedAt + 10 days, proposedAt + 10 days + 1)
            );
            confirm(role);
            vm.warp(proposedAt + 10 days);
            confirm(role);
            vm.assertEq(core.holderOf(role), next, "in role");
        }
    }

    /// @dev An old proposal must not become a change without notice.
    function test_a_lapsed_proposal_gives_notice_again() external {
        propose(SIGNER, next);
        vm.warp(START + 900 days);
        expectPending(SIGNER, next, START + 3 days);
        propose(SIGNER, next);
        expectPending(SIGNER, next, START + 903 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, START + 903 days, START + 900 days));
        confirm(SIGNER);
    }

    function test_a_new_proposal_restarts_the_notice() external {
        propose(SIGNER, next);
        vm.warp(START + 2 days);
        propose(SIGNER, next);
        expectPending(SIGNER, next, START + 5 days);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, START + 5 days, START + 3 days));
        confirm(SIGNER);
    }

    function test_a_proposal_for_one_role_is_none_for_another() external {
        propose(GUARDIAN, next);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        confirm(SIGNER);
    }

    function test_a_proposal_is_confirmed_once() external {
        propose(SIGNER, next);
        vm.warp(START + 3 days);
        confirm(SIGNER);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        confirm(SIGNER);
    }

    function test_only_the_owner_proposes() external {
        address[5] memory others = [stranger, guardian, signer, registrar, halter];
        for (uint256 i = 0; i < others.length; ++i) {
            for (uint8 role = 0; role < 3; ++role) {
                vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, others[i]));
                vm.prank(others[i]);
                core.proposeRole(IRoles.Role(role), next);
            }
        }
    }

    function test_the_proposed_account_alone_takes_a_role() external {
        for (uint8 i = 0; i < 3; ++i) {
            IRoles.Role role = IRoles.Role(i);
            propose(role, next);
            vm.warp(block.timestamp + 3 days);
            address[7] memory others = [owner, guardian, signer, registrar, halter, stranger, address(core)];
            for (uint256 j = 0; j < others.length; ++j) {
                vm.expectRevert(abi.encodeWithSelector(IRoles.NotProposed.selector, role, others[j]));
                vm.prank(others[j]);
                core.confirmRole(role);
            }
            expectPending(role, next, block.timestamp);
        }
    }

    function test_an_account_proposed_for_one_role_takes_no_other() external {
        propose(GUARDIAN, next);
        propose(SIGNER, stranger);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotProposed.selector, SIGNER, next));
        confirm(SIGNER);
    }

    function test_an_account_that_was_proposed_before_another_takes_nothing() external {
        propose(SIGNER, next);
        propose(SIGNER, stranger);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotProposed.selector, SIGNER, next));
        confirm(SIGNER);
    }

    function test_the_zero_address_cannot_be_proposed() external {
        vm.expectRevert(abi.encodeWithSelector(IRoles.AddressZero.selector));
        propose(GUARDIAN, address(0));
    }

    function test_only_the_owner_sets_the_registrar_at_once() external {
        onlyTheOwnerSets(REGISTRAR, registrar);
    }

    function test_only_the_owner_sets_the_halter_at_once() external {
        onlyTheOwnerSets(HALTER, halter);
    }

    function test_registrar_and_halter_are_not_proposed() external {
        IRoles.Role[2] memory roles = [REGISTRAR, HALTER];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.RoleIsSetAtOnce.selector, roles[i]));
            propose(roles[i], stranger);
            vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, roles[i]));
            confirm(roles[i]);
        }
    }

    function test_owner_guardian_and_signer_are_not_set_at_once() external {
        IRoles.Role[3] memory roles = [OWNER, GUARDIAN, SIGNER];
        for (uint256 i = 0; i < 3; ++i) {
            address holder = core.holderOf(roles[i]);
            vm.expectRevert(abi.encodeWithSelector(IRoles.RoleIsProposed.selector, roles[i]));
            set(roles[i], next);
            vm.assertEq(core.holderOf(roles[i]), holder, "holder");
        }
    }

    function test_registrar_and_halter_may_be_one_account_or_none() external {
        set(REGISTRAR, next);
        set(HALTER, next);
        vm.assertEq(core.holderOf(REGISTRAR), next, "registrar");
        vm.assertEq(core.holderOf(HALTER), next, "halter");
        set(REGISTRAR, address(0));
        vm.assertEq(core.holderOf(REGISTRAR), address(0), "registrar");
        vm.assertEq(core.holderOf(HALTER), next, "halter");
    }

    function test_a_former_halter_halts_nothing() external {
        set(HALTER, address(0));
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, HALTER, halter));
        vm.prank(halter);
        core.setHalted(new uint256[](1), true);
    }

    function test_a_former_registrar_registers_no_series() external {
        set(REGISTRAR, address(0));
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, REGISTRAR, registrar));
        createSeries(5000, EXPIRY, 0);
    }

    function test_a_new_owner_rules_and_the_former_one_does_not() external {
        propose(OWNER, next);
        vm.warp(START + 3 days);
        confirm(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, owner));
        propose(SIGNER, stranger);
        vm.prank(next);
        core.proposeRole(SIGNER, stranger);
    }

    function test_there_is_no_way_to_give_ownership_up() external {
        vm.prank(owner);
        (bool renounced,) = address(core).call(abi.encodeWithSignature("renounceOwnership()"));
        vm.prank(owner);
        (bool transferred,) = address(core).call(abi.encodeWithSignature("transferOwnership(address)", next));
        vm.assertTrue(!renounced && !transferred, "no such functions");
        vm.assertEq(core.owner(), owner, "owner");
    }

    function test_a_change_of_signer_voids_earlier_attestations() external {
        vm.warp(EXPIRY - 3 days);
        propose(SIGNER, next);
        vm.warp(EXPIRY);
        confirm(SIGNER);
        bytes memory old = attestation(callId, 59, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, next));
        core.settleWithAttestation(callId, 59, EXPIRY, old);
        core.settleWithAttestation(callId, 60, EXPIRY, sign(NEXT_KEY, core.hashAttestation(callId, 60, EXPIRY)));
        vm.assertEq(seriesOf(callId).resolutionBps, 60, "price");
    }

    /// @dev The proposed signer and the owner sign, and neither is the active signer.
    function test_only_the_active_signer_attests() external {
        propose(SIGNER, next);
        vm.warp(EXPIRY);
        bytes memory early = sign(NEXT_KEY, core.hashAttestation(callId, 60, EXPIRY));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, next, signer));
        core.settleWithAttestation(callId, 60, EXPIRY, early);
    }

    function test_a_revoked_signer_loses_its_role_at_once() external {
        vm.expectEmit(address(core));
        emit IRoles.RoleRevoked(SIGNER, signer, true);
        remove(owner, SIGNER, signer);
        vm.assertEq(core.resolutionSigner(), address(0), "no signer");
        vm.assertEq(core.signerVacantSince(), START, "vacant since");
        vm.assertEq(core.termRevokedAt(1), START, "its term was revoked at");
        vm.assertEq(core.signerTerm(), 1, "no new term");
        vm.warp(EXPIRY);
        bytes memory old = attestation(callId, 59, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, address(0)));
        core.settleWithAttestation(callId, 59, EXPIRY, old);
    }

    function test_each_appointment_of_a_signer_is_a_term() external {
        propose(SIGNER, next);
        vm.assertEq(core.signerTerm(), 1, "a proposal is none");
        vm.warp(START + 3 days);
        confirm(SIGNER);
        vm.assertEq(core.signerTerm(), 2, "second term");
        vm.assertEq(core.termRevokedAt(1), 0, "the first signer was replaced and not revoked");
        propose(SIGNER, next);
        vm.warp(START + 6 days);
        confirm(SIGNER);
        vm.assertEq(core.signerTerm(), 3, "the same signer again");
        vm.assertEq(core.resolutionSigner(), next, "its neighbours in the word");
        vm.assertEq(core.signerVacantSince(), 0, "its neighbours in the word");
        propose(GUARDIAN, next);
        vm.warp(START + 9 days);
        confirm(GUARDIAN);
        vm.assertEq(core.signerTerm(), 3, "another role starts none");
    }

    function test_a_malformed_signature_is_invalid_without_a_signer() external {
        remove(owner, SIGNER, signer);
        vm.warp(EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, address(0), address(0)));
        core.settleWithAttestation(callId, 59, EXPIRY, "");
    }

    function test_revoking_the_active_signer_keeps_the_proposal() external {
        propose(SIGNER, next);
        remove(owner, SIGNER, signer);
        expectPending(SIGNER, next, START + 3 days);
        vm.warp(START + 3 days);
        vm.expectEmit(address(core));
        emit IRoles.RoleChanged(SIGNER, address(0), next);
        confirm(SIGNER);
        vm.assertEq(core.signerVacantSince(), 0, "vacant no more");
    }

    function test_revoking_the_proposed_signer_keeps_the_active_one() external {
        propose(SIGNER, next);
        vm.expectEmit(address(core));
        emit IRoles.RoleRevoked(SIGNER, next, false);
        remove(owner, SIGNER, next);
        expectPending(SIGNER, address(0), 0);
        vm.assertEq(core.resolutionSigner(), signer, "in role");
        vm.assertEq(core.signerVacantSince(), 0, "not vacant");
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        confirm(SIGNER);
    }

    function test_a_signer_proposed_again_is_revoked_from_both_places() external {
        propose(SIGNER, signer);
        remove(owner, SIGNER, signer);
        vm.assertEq(core.resolutionSigner(), address(0), "in role");
        expectPending(SIGNER, address(0), 0);
    }

    /// @dev Otherwise its signatures from while its key was stolen would count again.
    function test_a_revoked_signer_is_never_proposed_again() external {
        propose(SIGNER, next);
        remove(owner, SIGNER, signer);
        remove(owner, SIGNER, next);
        address[2] memory revoked = [signer, next];
        for (uint256 i = 0; i < revoked.length; ++i) {
            vm.assertTrue(core.wasSignerRevoked(revoked[i]), "remembered");
            vm.expectRevert(abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, revoked[i]));
            propose(SIGNER, revoked[i]);
        }
        propose(GUARDIAN, next);
        expectPending(GUARDIAN, next, START + 3 days);
    }

    function test_a_signer_that_was_replaced_and_not_revoked_comes_back() external {
        propose(SIGNER, next);
        vm.warp(START + 3 days);
        confirm(SIGNER);
        vm.assertTrue(!core.wasSignerRevoked(signer), "replaced");
        propose(SIGNER, signer);
        vm.warp(START + 6 days);
        vm.prank(signer);
        core.confirmRole(SIGNER);
        vm.assertEq(core.resolutionSigner(), signer, "signer");
        vm.assertEq(core.signerTerm(), 3, "term");
        settle(callId, 59);
        vm.assertTrue(seriesOf(callId).settled, "it attests");
    }

    function test_a_guardian_taken_back_may_be_proposed_again() external {
        propose(GUARDIAN, next);
        remove(owner, GUARDIAN, next);
        vm.assertTrue(!core.wasSignerRevoked(next), "never a signer");
        propose(GUARDIAN, next);
        expectPending(GUARDIAN, next, START + 3 days);
    }

    function test_the_guardian_revokes_the_signer_and_proposals() external {
        propose(SIGNER, next);
        propose(OWNER, stranger);
        remove(guardian, SIGNER, next);
        remove(guardian, SIGNER, signer);
        remove(guardian, OWNER, stranger);
        vm.assertEq(core.resolutionSigner(), address(0), "no signer");
        expectPending(SIGNER, address(0), 0);
        expectPending(OWNER, address(0), 0);
    }

    function test_the_guardian_cannot_stop_its_own_replacement() external {
        propose(GUARDIAN, next);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, GUARDIAN, guardian));
        vm.prank(guardian);
        core.removeFromRole(GUARDIAN, next);
        remove(owner, GUARDIAN, next);
        expectPending(GUARDIAN, address(0), 0);
    }

    function test_no_one_else_revokes() external {
        propose(SIGNER, next);
        address[5] memory others = [stranger, signer, registrar, halter, next];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, GUARDIAN, others[i]));
            vm.prank(others[i]);
            core.removeFromRole(SIGNER, signer);
        }
    }

    /// A key that was stolen once is not to take its successors out of office.
    function test_a_signer_that_was_revoked_revokes_no_successor() external {
        address former = signer;
        propose(SIGNER, next);
        vm.prank(owner);
        core.removeFromRole(SIGNER, former);
        vm.warp(START + 3 days);
        confirm(SIGNER);
        vm.prank(former);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, GUARDIAN, former));
        core.removeFromRole(SIGNER, next);
        vm.assertEq(core.resolutionSigner(), next, "in role");
    }

    function test_active_owner_and_guardian_are_not_revoked() external {
        refusesRevocation(OWNER, owner);
        refusesRevocation(GUARDIAN, guardian);
        refusesRevocation(REGISTRAR, registrar);
        refusesRevocation(HALTER, halter);
        refusesRevocation(REGISTRAR, address(0));
        refusesRevocation(SIGNER, stranger);
        refusesRevocation(SIGNER, address(0));
    }

    /// Else it would go without the mark that keeps a revoked signer out.
    function test_signer_in_office_is_revoked_as_a_signer_alone() external {
        address signer = core.resolutionSigner();
        refusesRevocation(OWNER, signer);
        refusesRevocation(GUARDIAN, signer);
        refusesRevocation(REGISTRAR, signer);
        refusesRevocation(HALTER, signer);
    }

    function refusesRevocation(IRoles.Role role, address account) private {
        vm.expectRevert(abi.encodeWithSelector(IRoles.NothingToRevoke.selector, role, account));
        remove(owner, role, account);
    }

    function propose(IRoles.Role role, address account) private {
        vm.prank(owner);
        core.proposeRole(role, account);
    }

    function set(IRoles.Role role, address account) private {
        vm.prank(owner);
        core.setRole(role, account);
    }

    function onlyTheOwnerSets(IRoles.Role role, address holder) private {
        vm.expectEmit(address(core));
        emit IRoles.RoleChanged(role, holder, next);
        set(role, next);
        vm.assertEq(core.holderOf(role), next, "holder");
        address[6] memory others = [stranger, guardian, signer, registrar, halter, next];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, others[i]));
            vm.prank(others[i]);
            core.setRole(role, others[i]);
        }
    }

    function confirm(IRoles.Role role) private {
        vm.prank(next);
        core.confirmRole(role);
    }

    function remove(address by, IRoles.Role role, address account) private {
        vm.prank(by);
        core.removeFromRole(role, account);
    }

    function expectPending(IRoles.Role role, address account, uint256 acceptableAt) private view {
        (address account_, uint64 acceptableAt_, uint64 lapsesAt) = core.pendingRole(role);
        vm.assertEq(account_, account, "proposed");
        vm.assertEq(acceptableAt_, acceptableAt, "acceptable at");
        vm.assertEq(lapsesAt, account == address(0) ? 0 : acceptableAt + 7 days, "lapses at");
    }
}
