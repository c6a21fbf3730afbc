// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title WrongSignersTest
/// @notice Signatures of another role, of the zero address, or in a second form are refused.
contract WrongSignersTest is World {
    uint256 private constant NEXT_KEY = 0x4E4;
    uint256 private constant OWNER_KEY = 0x0B0E;
    uint256 private constant GUARDIAN_KEY = 0x6A4D;
    uint256 private constant REGISTRAR_KEY = 0x4E6;
    uint256 private constant HALTER_KEY = 0x4A17;
    /// @dev The order of the group of secp256k1: n - s signs whatever s signs.
    uint256 private constant GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function test_a_proposed_signer_does_not_attest() external {
        vm.prank(owner);
        core.proposeRole(IRoles.Role.ResolutionSigner, vm.addr(NEXT_KEY));
        vm.warp(EXPIRY);
        refusesAttestationBy(NEXT_KEY);
    }

    function test_the_owners_key_does_not_attest() external {
        becomeOwner(vm.addr(OWNER_KEY));
        vm.warp(EXPIRY);
        refusesAttestationBy(OWNER_KEY);
    }

    function test_no_other_officers_key_attests() external {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.owner, setup.guardian) = (vm.addr(OWNER_KEY), vm.addr(GUARDIAN_KEY));
        (setup.registrar, setup.halter) = (vm.addr(REGISTRAR_KEY), vm.addr(HALTER_KEY));
        (core, settlement) = deploy(setup);
        vm.prank(setup.registrar);
        core.createSeries(CONDITION, yesToken, conditionCollateral, 4500, EXPIRY, 0);
        vm.warp(EXPIRY);
        refusesAttestationBy(OWNER_KEY);
        refusesAttestationBy(GUARDIAN_KEY);
        refusesAttestationBy(REGISTRAR_KEY);
        refusesAttestationBy(HALTER_KEY);
        settle(callId, 59);
    }

    function test_an_attestation_has_one_form() external {
        vm.warp(EXPIRY);
        bytes memory twin = twinOf(attestation(callId, 59, EXPIRY));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, address(0), signer));
        core.settleWithAttestation(callId, 59, EXPIRY, twin);
    }

    function test_an_order_has_one_form() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        refusesOrder(order, twinOf(signed(order)));
    }

    /// @dev A malformed signature recovers to the zero address.
    function test_nothing_signs_for_the_zero_address() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.maker = address(0);
        refusesOrder(order, "");
        refusesOrder(order, new bytes(65));
        order.makerSelling = false;
        order.premiumAmount = 0;
        refusesOrder(order, "");
    }

    function becomeOwner(address next) private {
        vm.prank(owner);
        core.proposeRole(IRoles.Role.Owner, next);
        vm.warp(block.timestamp + 3 days);
        vm.prank(next);
        core.confirmRole(IRoles.Role.Owner);
        vm.assertEq(core.owner(), next, "owner");
    }

    function refusesAttestationBy(uint256 key) private {
        bytes memory signature = sign(key, core.hashAttestation(callId, 59, EXPIRY));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, vm.addr(key), signer));
        core.settleWithAttestation(callId, 59, EXPIRY, signature);
    }

    function refusesOrder(IServiceRFQSettlement.Order memory order, bytes memory signature) private {
        bytes32 digest = settlement.hashOrder(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, order.maker, digest));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    /// @dev Anyone can make this signature from one that it has seen: s is mirrored, and v is the other one.
    function twinOf(bytes memory signature) private pure returns (bytes memory) {
        bytes32 r;
        uint256 s;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
        }
        return abi.encodePacked(r, GROUP_ORDER - s, uint8(signature[64]) == 27 ? uint8(28) : uint8(27));
    }
}
