// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {Market} from "./Market.sol";

/// @title RoleChanges
/// @notice These actions change the holders of roles, and try roles that the caller does not hold.
abstract contract RoleChanges is Market {
    /// @dev Keys of former and proposed signers, of the owner and of the guardian.
    uint256[] internal strangeKeys;

    function haltAndResume(uint128 seed) external {
        uint256 index = liveBook(seed);
        uint256[] memory ids = new uint256[](1);
        ids[0] = books[index].seriesId;
        vm.prank(seed & 1 == 0 ? owner : guardian);
        core.setHalted(ids, true);
        books[index].halted = true;
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

    /// @dev The cap applies to series registered from now on.
    function setCap(uint128 exponent) external {
        capExponent = exponent % 4 == 0 ? 0 : bound(exponent, 10, 79);
        vm.prank(owner);
        core.setDefaultCap(uint8(capExponent));
        ++done["setCap"];
    }

    function setRegistrar(uint256 key) external {
        registrar = vm.addr(freshKey(key));
        vm.prank(owner);
        core.setRegistrar(registrar);
        ++done["setRegistrar"];
    }

    function changeSigner(uint256 seed) external {
        strangeKeys.push(signerKey);
        appointSigner(seed);
        replenish();
        ++done["changeSigner"];
    }

    /// @dev Owner or guardian revokes at once; the same account is never appointed again.
    function revokeSigner(uint128 seed) external {
        if (signer == address(0)) appointSigner(seed);
        vm.prank(seed & 1 == 0 ? owner : guardian);
        core.removeFromRole(IRoles.Role.ResolutionSigner, signer);
        vm.expectRevert(abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, signer));
        propose(IRoles.Role.ResolutionSigner, signer);
        strangeKeys.push(signerKey);
        (signer, vacantSince) = (address(0), block.timestamp);
        ++done["revokeSigner"];
    }

    /// @dev The proposal is revoked, lapses, or is confirmed too early; the holder of the role stays.
    function announceRoleInVain(uint128 seed) external {
        IRoles.Role role = IRoles.Role(seed % 3);
        uint256 key = freshKey(seed);
        address next = vm.addr(key);
        propose(role, next);
        strangeKeys.push(key);
        address accepts = role == IRoles.Role.Owner ? next : owner;
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
        vm.prank(accepts);
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
        strangersTry(0);
        vm.prank(vm.addr(key));
        core.confirmRole(IRoles.Role.Owner);
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
        strangersTry(0);
        vm.prank(owner);
        core.confirmRole(IRoles.Role.Guardian);
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
        uint256 id = books[index].seriesId;
        bytes memory signature = sign(key, core.hashAttestation(id, 50, block.timestamp));
        if (seed >> 8 & 7 == 0) (key, signature) = (0, new bytes(65));
        address recovered = key == 0 ? address(0) : vm.addr(key);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, recovered, signer));
        core.settleWithAttestation(id, 50, block.timestamp, signature);
        replenish();
        ++done["refuseStrangeSigner"];
    }
}
