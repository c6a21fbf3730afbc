// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {Market} from "./Market.sol";

/// @title RoleChanges
/// @notice These actions change the holders of roles, and try roles that the caller does not hold.
abstract contract RoleChanges is Market {
    /// @dev Owner, guardian or halter halts; only the owner resumes.
    function haltAndResume(uint128 seed) external {
        uint256 index = liveBook(seed);
        uint256[] memory ids = new uint256[](1);
        ids[0] = books[index].seriesId;
        address[3] memory halters = [owner, guardian, halter];
        address by = halters[seed % 3] == address(0) ? owner : halters[seed % 3];
        vm.prank(by);
        core.setHalted(ids, true);
        books[index].halted = true;
        if (by != owner) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, by));
            vm.prank(by);
            core.setHalted(ids, false);
        }
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 halted = (seed + i) % books.length;
            if (!books[halted].halted || halted == index) continue;
            ids[0] = books[halted].seriesId;
            vm.prank(owner);
            core.setHalted(ids, false);
            books[halted].halted = false;
            break;
        }
        replenish();
        ++done["haltAndResume"];
    }

    /// @dev The cap counts for fixings that are created from now on: tight, so that trades reach it, or wide, or none.
    function setCap(uint128 seed) external {
        defaultCap = seed % 4 == 0 ? 0 : bound(seed >> 8, 1, type(uint64).max >> bound(seed >> 72, 0, 36));
        if (defaultCap != 0 && defaultCap < 1e9) defaultCap += 1e9;
        vm.prank(owner);
        core.setDefaultCap(uint64(defaultCap));
        ++done["setCap"];
    }

    /// @dev The owner sets registrar and halter at once, perhaps to none, and the former one can do nothing.
    function setRole(uint128 seed) external {
        bool isHalter = seed & 1 == 0;
        IRoles.Role role = isHalter ? IRoles.Role.Halter : IRoles.Role.Registrar;
        address former = isHalter ? halter : registrar;
        address next = seed & 14 == 0 ? address(0) : vm.addr(freshKey(seed));
        vm.prank(owner);
        core.setRole(role, next);
        if (isHalter) halter = next;
        else registrar = next;
        uint256[] memory ids = new uint256[](1);
        uint256 index = liveBook(seed);
        ids[0] = books[index].seriesId;
        if (former != address(0)) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, role, former));
            vm.prank(former);
            if (isHalter) core.setHalted(ids, true);
            else core.createSeries(bytes32(uint256(1)), 1, address(0), 1, uint64(block.timestamp + 1), 0);
        }
        vm.expectRevert(abi.encodeWithSelector(IRoles.RoleIsSetAtOnce.selector, role));
        propose(role, next);
        role = IRoles.Role((seed >> 8) % 3);
        vm.expectRevert(abi.encodeWithSelector(IRoles.RoleIsProposed.selector, role));
        vm.prank(owner);
        core.setRole(role, next);
        replenish();
        ++done["setRole"];
    }

    function changeSigner(uint256 seed) external {
        strangeKeys.push(signerKey);
        appointSigner(seed);
        replenish();
        ++done["changeSigner"];
    }

    /// @dev The proposal is revoked, lapses, or is confirmed too early; the holder of the role stays.
    function announceRoleInVain(uint128 seed) external {
        IRoles.Role role = IRoles.Role(seed % 3);
        uint256 key = freshKey(seed);
        address next = vm.addr(key);
        propose(role, next);
        strangeKeys.push(key);
        if (seed >> 8 & 3 == 0) {
            passTo(block.timestamp + 10 days + 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooLate.selector, block.timestamp - 1, block.timestamp));
        } else if (seed >> 8 & 3 == 1) {
            passTo(block.timestamp + 3 days - 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, block.timestamp + 1, block.timestamp));
        } else {
            vm.prank(role == IRoles.Role.Guardian ? owner : guardian);
            core.removeFromRole(role, next);
            passTo(block.timestamp + 3 days);
            vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, role));
        }
        vm.prank(next);
        core.confirmRole(role);
        replenish();
        ++done["announceRoleInVain"];
    }

    /// @dev The new owner accepts, and the former owner can do nothing.
    function changeOwner(uint256 key) external {
        address former = owner;
        key = freshKey(key);
        propose(IRoles.Role.Owner, vm.addr(key));
        passTo(block.timestamp + 3 days + key % 7 days);
        confirm(IRoles.Role.Owner, vm.addr(key));
        owner = vm.addr(key);
        strangeKeys.push(key);
        if (former != owner) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, former));
            vm.prank(former);
            core.setDefaultCap(1);
        }
        replenish();
        ++done["changeOwner"];
    }

    function changeGuardian(uint256 key) external {
        key = freshKey(key);
        address next = vm.addr(key);
        propose(IRoles.Role.Guardian, next);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Guardian, guardian));
        vm.prank(guardian);
        core.removeFromRole(IRoles.Role.Guardian, next);
        passTo(block.timestamp + 3 days + key % 7 days);
        confirm(IRoles.Role.Guardian, next);
        guardian = next;
        strangeKeys.push(key);
        replenish();
        ++done["changeGuardian"];
    }

    /// @dev A former or proposed signer, the owner and the guardian do not attest; without an active signer no one does.
    function refuseStrangeSigner(uint128 seed, uint256 key) external {
        uint256 index = attestableBook(seed);
        if (strangeKeys.length > 0 && seed & 3 != 0) key = strangeKeys[seed % strangeKeys.length];
        key = bound(key, 1, 1e60);
        if (key == signerKey && signer != address(0)) return;
        uint256 id = books[siblingOf(index, seed >> 16)].seriesId;
        bytes memory signature = sign(key, core.hashAttestation(id, 50, block.timestamp));
        if (seed >> 8 & 7 == 0) (key, signature) = (0, new bytes(65));
        address recovered = key == 0 ? address(0) : vm.addr(key);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, recovered, signer));
        core.settleWithAttestation(id, 50, block.timestamp, signature);
        replenish();
        ++done["refuseStrangeSigner"];
    }
}
