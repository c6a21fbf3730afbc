// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {World} from "../../support/World.sol";

/// @title PermissionsTest
/// @notice Each restricted call succeeds for the holder of its role and reverts for every other account.
contract PermissionsTest is World {
    address private immutable nextOwner = address(0x0B0F);
    address private immutable nextSigner = address(0x5160);
    address private immutable nextGuardian = address(0x6A4E);

    /// @dev The owner's call would succeed; `role` may make it too.
    bytes[] private calls;
    IRoles.Role[] private roles;

    function setUp() public override {
        super.setUp();
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        IRoles.Role none = IRoles.Role.Owner;
        IRoles.Role signerRole = IRoles.Role.ResolutionSigner;
        add(
            abi.encodeCall(core.createSeries, (bytes32(uint256(1)), 7, 5000, EXPIRY + 30 days, 0)),
            IRoles.Role.Registrar
        );
        add(abi.encodeCall(core.setHalted, (ids, true)), IRoles.Role.Guardian);
        add(abi.encodeCall(core.setHalted, (ids, false)), none);
        add(abi.encodeCall(core.proposeManual, (callId, 60)), none);
        add(abi.encodeCall(core.executeManual, (putId)), none);
        add(abi.encodeCall(core.setDefaultCap, (3)), none);
        add(abi.encodeCall(core.setRegistrar, (stranger)), none);
        add(abi.encodeCall(core.proposeRole, (signerRole, stranger)), none);
        add(abi.encodeCall(core.confirmRole, (signerRole)), none);
        add(abi.encodeCall(core.confirmRole, (IRoles.Role.Guardian)), none);
        add(abi.encodeCall(core.removeFromRole, (signerRole, signer)), IRoles.Role.Guardian);
        add(abi.encodeCall(core.removeFromRole, (IRoles.Role.Owner, nextOwner)), IRoles.Role.Guardian);
        add(abi.encodeCall(core.removeFromRole, (IRoles.Role.Guardian, nextGuardian)), none);

        vm.warp(EXPIRY + 3 days);
        propose(IRoles.Role.Owner, nextOwner);
        propose(signerRole, nextSigner);
        propose(IRoles.Role.Guardian, nextGuardian);
        vm.warp(EXPIRY + 5 days);
        vm.prank(owner);
        core.proposeManual(putId, 60);
        vm.warp(EXPIRY + 6 days);
    }

    function test_the_owner_does_what_is_the_owners() external {
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.assertTrue(passes(owner, i), vm.toString(i));
        }
    }

    function test_guardian_and_registrar_do_only_what_is_theirs() external {
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.assertTrue(passes(guardian, i) == (roles[i] == IRoles.Role.Guardian), vm.toString(i));
            vm.assertTrue(passes(registrar, i) == (roles[i] == IRoles.Role.Registrar), vm.toString(i));
        }
    }

    function test_no_one_else_holds_a_role() external {
        address[8] memory others =
            [nextOwner, nextSigner, nextGuardian, signer, address(settlement), address(core), maker, stranger];
        for (uint256 i = 0; i < calls.length; ++i) {
            for (uint256 j = 0; j < others.length; ++j) {
                vm.prank(others[j]);
                (bool passed, bytes memory reason) = address(core).call(calls[i]);
                vm.assertTrue(!passed, "not the owner's call");
                vm.assertEq(bytes32(bytes4(reason)), bytes32(IRoles.NotInRole.selector), "reason");
            }
        }
    }

    function test_a_former_owner_holds_no_role() external {
        vm.prank(nextOwner);
        core.confirmRole(IRoles.Role.Owner);
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.assertTrue(!passes(owner, i), vm.toString(i));
        }
    }

    function add(bytes memory call, IRoles.Role role) private {
        calls.push(call);
        roles.push(role);
    }

    function propose(IRoles.Role role, address account) private {
        vm.prank(owner);
        core.proposeRole(role, account);
    }

    function passes(address sender, uint256 index) private returns (bool passed) {
        uint256 state = vm.snapshotState();
        vm.prank(sender);
        (passed,) = address(core).call(calls[index]);
        vm.revertToState(state);
    }
}
