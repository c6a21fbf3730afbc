// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title RolesTest
/// @notice The owner proposes, confirms and revokes the holders of roles.
contract RolesTest is World {
    uint256 private constant NEXT_KEY = 0x4E4;
    address private immutable next = vm.addr(NEXT_KEY);

    IRoles.Role private constant OWNER = IRoles.Role.Owner;
    IRoles.Role private constant GUARDIAN = IRoles.Role.Guardian;
    IRoles.Role private constant SIGNER = IRoles.Role.ResolutionSigner;
    IRoles.Role private constant REGISTRAR = IRoles.Role.Registrar;

    function test_a_proposed_account_takes_its_role_three_days_later() external {
        address[3] memory holders = [owner, guardian, signer];
        // The owner last: it could not confirm the others any more.
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
            vm.prank(role == OWNER ? next : owner);
            core.confirmRole(role);
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
        propose(SIGNER, next);
        expectPending(SIGNER, next, START + 903 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, START + 903 days, START + 900 days));
        confirm(SIGNER);
    }

    function test_a_new_proposal_restarts_the_notice() external {
        propose(SIGNER, next);
        vm.warp(START + 2 days);
        propose(SIGNER, stranger);
        expectPending(SIGNER, stranger, START + 5 days);
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
        address[4] memory others = [stranger, guardian, signer, registrar];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, others[i]));
            vm.prank(others[i]);
            core.proposeRole(SIGNER, next);
        }
    }

    function test_only_the_new_owner_confirms_itself() external {
        propose(OWNER, next);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, owner));
        vm.prank(owner);
        core.confirmRole(OWNER);
    }

    function test_the_owner_confirms_a_new_guardian_or_signer() external {
        IRoles.Role[2] memory roles = [GUARDIAN, SIGNER];
        for (uint256 i = 0; i < roles.length; ++i) {
            propose(roles[i], next);
            vm.warp(block.timestamp + 3 days);
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, next));
            vm.prank(next);
            core.confirmRole(roles[i]);
        }
    }

    function test_the_zero_address_cannot_be_proposed() external {
        vm.expectRevert(abi.encodeWithSelector(IRoles.AddressZero.selector));
        propose(GUARDIAN, address(0));
    }

    function test_only_the_owner_sets_the_registrar_at_once() external {
        vm.expectEmit(address(core));
        emit IRoles.RoleChanged(REGISTRAR, registrar, next);
        vm.prank(owner);
        core.setRegistrar(next);
        vm.assertEq(core.holderOf(REGISTRAR), next, "registrar");
        address[4] memory others = [stranger, guardian, signer, next];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, OWNER, others[i]));
            vm.prank(others[i]);
            core.setRegistrar(others[i]);
        }
        vm.expectRevert(abi.encodeWithSelector(IRoles.RegistrarIsSet.selector));
        propose(REGISTRAR, stranger);
    }

    function test_a_former_registrar_registers_no_series() external {
        vm.prank(owner);
        core.setRegistrar(address(0));
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
        vm.warp(EXPIRY);
        bytes memory old = attestation(callId, 59, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, address(0)));
        core.settleWithAttestation(callId, 59, EXPIRY, old);
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
        address[4] memory others = [stranger, signer, registrar, next];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, GUARDIAN, others[i]));
            vm.prank(others[i]);
            core.removeFromRole(SIGNER, signer);
        }
    }

    function test_active_owner_and_guardian_are_not_revoked() external {
        refusesRevocation(OWNER, owner);
        refusesRevocation(GUARDIAN, guardian);
        refusesRevocation(REGISTRAR, registrar);
        refusesRevocation(SIGNER, stranger);
        refusesRevocation(SIGNER, address(0));
    }

    function refusesRevocation(IRoles.Role role, address account) private {
        vm.expectRevert(abi.encodeWithSelector(IRoles.NothingToRevoke.selector, role, account));
        remove(owner, role, account);
    }

    function propose(IRoles.Role role, address account) private {
        vm.prank(owner);
        core.proposeRole(role, account);
    }

    function confirm(IRoles.Role role) private {
        vm.prank(role == OWNER ? next : owner);
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
