// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {World} from "../support/World.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

contract ResolutionSignerTest is World {
    uint256 private constant NEXT_KEY = 0x4E4;
    address private immutable next = vm.addr(NEXT_KEY);

    function test_a_new_signer_is_announced_and_takes_office_three_days_later() external {
        vm.expectEmit(address(core));
        emit IServiceCore.ResolutionSignerProposed(next, uint64(START + 3 days));
        propose(next);
        expectPending(next, START + 3 days);
        vm.assertEq(core.resolutionSigner(), signer, "the old one is still in office");

        vm.warp(START + 3 days);
        vm.expectEmit(address(core));
        emit IServiceCore.ResolutionSignerChanged(signer, next);
        accept();
        vm.assertEq(core.resolutionSigner(), next, "in office");
        expectPending(address(0), 0);
    }

    function test_a_second_before_three_days_are_over_it_does_not() external {
        propose(next);
        vm.warp(START + 3 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.TooEarly.selector, START + 3 days, START + 3 days - 1));
        accept();
    }

    function test_a_new_announcement_replaces_the_old_one_and_gives_a_new_notice() external {
        propose(next);
        vm.warp(START + 2 days);
        propose(stranger);
        expectPending(stranger, START + 5 days);
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.TooEarly.selector, START + 5 days, START + 3 days));
        accept();
    }

    function test_without_an_announcement_nobody_takes_office() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PendingSignerMissing.selector));
        accept();
    }

    function test_an_announcement_is_accepted_once() external {
        propose(next);
        vm.warp(START + 3 days);
        accept();
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PendingSignerMissing.selector));
        accept();
    }

    function test_a_change_of_signer_voids_the_old_ones_attestations_and_admits_the_new_ones() external {
        vm.warp(EXPIRY - 3 days);
        propose(next);
        vm.warp(EXPIRY);
        accept();
        bytes memory old = attestation(callId, 59, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, next));
        core.settleWithAttestation(callId, 59, EXPIRY, old);
        core.settleWithAttestation(callId, 60, EXPIRY, sign(NEXT_KEY, core.hashAttestation(callId, 60, EXPIRY)));
        vm.assertEq(seriesOf(callId).resolutionBps, 60, "price");
    }

    function test_a_revoked_signer_is_out_of_office_at_once() external {
        vm.expectEmit(address(core));
        emit IServiceCore.ResolutionSignerRevoked(signer);
        revoke(signer);
        vm.assertEq(core.resolutionSigner(), address(0), "nobody in office");
        vm.warp(EXPIRY);
        bytes memory old = attestation(callId, 59, EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, signer, address(0)));
        core.settleWithAttestation(callId, 59, EXPIRY, old);
    }

    function test_with_nobody_in_office_a_malformed_signature_is_still_nobodys() external {
        revoke(signer);
        vm.warp(EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, address(0), address(0)));
        core.settleWithAttestation(callId, 59, EXPIRY, "");
    }

    function test_revoking_the_signer_in_office_keeps_the_announced_one_and_its_date() external {
        propose(next);
        revoke(signer);
        expectPending(next, START + 3 days);
        vm.warp(START + 3 days);
        vm.expectEmit(address(core));
        emit IServiceCore.ResolutionSignerChanged(address(0), next);
        accept();
    }

    function test_revoking_the_announced_signer_keeps_the_one_in_office() external {
        propose(next);
        revoke(next);
        expectPending(address(0), 0);
        vm.assertEq(core.resolutionSigner(), signer, "in office");
        vm.warp(START + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.PendingSignerMissing.selector));
        accept();
    }

    function test_a_signer_announced_to_follow_itself_is_revoked_from_both_places() external {
        propose(signer);
        revoke(signer);
        vm.assertEq(core.resolutionSigner(), address(0), "in office");
        expectPending(address(0), 0);
    }

    function test_nobody_else_can_be_revoked() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SignerUnknown.selector, stranger));
        revoke(stranger);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SignerUnknown.selector, address(0)));
        revoke(address(0));
    }

    function test_nobody_cannot_be_announced() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AddressZero.selector));
        propose(address(0));
    }

    function test_only_the_owner_announces_accepts_and_revokes() external {
        bytes memory reason = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, signer);
        vm.expectRevert(reason);
        vm.prank(signer);
        core.proposeResolutionSigner(next);
        propose(next);
        vm.warp(START + 3 days);
        vm.expectRevert(reason);
        vm.prank(signer);
        core.acceptResolutionSigner();
        vm.expectRevert(reason);
        vm.prank(signer);
        core.revokeResolutionSigner(signer);
    }

    function propose(address candidate) private {
        vm.prank(owner);
        core.proposeResolutionSigner(candidate);
    }

    function accept() private {
        vm.prank(owner);
        core.acceptResolutionSigner();
    }

    function revoke(address revoked) private {
        vm.prank(owner);
        core.revokeResolutionSigner(revoked);
    }

    function expectPending(address pending, uint256 acceptableAt) private view {
        (address pending_, uint64 acceptableAt_) = core.pendingResolutionSigner();
        vm.assertEq(pending_, pending, "pending");
        vm.assertEq(acceptableAt_, acceptableAt, "acceptable at");
    }
}
