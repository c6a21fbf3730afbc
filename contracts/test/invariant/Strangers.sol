// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {Market} from "./Market.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";

/// @title Strangers
/// @notice A caller without positions, with a role or without, calls anything with anything, and the holder of an office makes the
/// calls of the others. They revert, but for a few that change only what is the caller's own. The ledger does not record those, so
/// the next check would reveal an effect.
abstract contract Strangers is Market {
    uint256 private constant CALLS = 38;
    /// @dev Calls that may succeed for any caller: 1 << its number.
    uint256 private constant OWN = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 23;
    /// @dev Calls from this number on are restricted to roles, and their caller holds none.
    uint256 private constant RESTRICTED = 25;
    uint256 private constant HALTS = 26;
    /// @dev Restricted calls that an office may make: 1 << its number. No one may resume but the owner.
    uint256 private constant OF_OWNER = 1 << 25 | 1 << HALTS | 1 << 27 | 1 << 29 | 1 << 30 | 1 << 31 | 1 << 33 | 1
        << 34;
    uint256 private constant OF_GUARDIAN = 1 << 28 | 1 << 33 | 1 << 35;
    uint256 private constant OF_REGISTRAR = 1 << 25;

    /// @dev Each of the calls once.
    function stranger(uint256 seed, address caller) external {
        for (uint256 number = 0; number < CALLS; ++number) {
            uint256 random = uint256(keccak256(abi.encode(seed, number)));
            attempt(number, random, callerOf(random, caller, number >= RESTRICTED), random % books.length);
        }
        ++done["stranger"];
    }

    function strangersTry(uint256 index) internal override {
        for (uint256 number = RESTRICTED; number < CALLS; ++number) {
            uint256 random = uint256(keccak256(abi.encode(block.timestamp, index, number)));
            attempt(number, random, callerOf(random, address(uint160(random)), true), index);
            officerTries(number, random, index);
        }
    }

    /// @dev The holder of one office makes a call of another.
    function officer(uint256 seed) external {
        for (uint256 number = RESTRICTED; number < CALLS; ++number) {
            uint256 random = uint256(keccak256(abi.encode(seed, number)));
            officerTries(number, random, random % books.length);
        }
        ++done["officer"];
    }

    function officerTries(uint256 number, uint256 random, uint256 index) private {
        address[5] memory officers = [owner, guardian, registrar, halter, signer];
        uint256[5] memory own = [OF_OWNER, OF_GUARDIAN, OF_REGISTRAR, 0, 0];
        uint256 office = (random >> 100) % 5;
        if (officers[office] == address(0) || own[office] >> number & 1 == 1) return;
        // An odd number resumes.
        attempt(number, number == HALTS ? random | 1 : random, officers[office], index);
    }

    function attempt(uint256 number, uint256 random, address caller, uint256 index) private {
        (address target, bytes memory data) = callOf(number, random, caller, index);
        vm.prank(caller);
        (bool passed,) = target.call(data);
        if (OWN >> number & 1 == 0) vm.assertTrue(!passed, string.concat("a stranger's call ", vm.toString(number)));
    }

    /// @dev The holder of a role, one of the contracts, or an account that is not an actor.
    function callerOf(uint256 seed, address random, bool isRestricted) private view returns (address) {
        address[7] memory known = [owner, guardian, registrar, halter, signer, address(settlement), address(core)];
        uint256 choice = seed >> 200 & 15;
        address caller = choice < 7 ? known[choice] : random;
        bool holdsRole;
        for (uint256 i = 0; i < 5; ++i) {
            holdsRole = holdsRole || caller == known[i];
        }
        bool isTaken = caller == address(0) || caller == address(vm) || keys[caller] != 0 || (isRestricted && holdsRole)
            || (!isRestricted && caller == address(settlement));
        return isTaken ? address(uint160(uint256(keccak256(abi.encode(seed, random))))) : caller;
    }

    function callOf(uint256 number, uint256 random, address caller, uint256 index)
        private
        returns (address, bytes memory)
    {
        if (number < 12) return (address(settlement), settlementCall(number, random, caller));
        if (number < RESTRICTED) return (address(core), positionCall(number, random, caller, index));
        return (address(core), restrictedCall(number, random, books[index]));
    }

    function settlementCall(uint256 number, uint256 random, address caller) private returns (bytes memory) {
        if (number == 0 && random & 3 == 0) {
            return abi.encodeCall(IServiceRFQSettlement.revokeSigner, (actorAt(random >> 8)));
        }
        if (number == 0 && random & 3 == 1) return abi.encodeCall(IServiceRFQSettlement.revokeAllSigners, ());
        if (number == 0) return abi.encodeCall(IServiceRFQSettlement.cancelNonce, (nextNonce + random % 99));
        if (number == 1) return abi.encodeCall(IServiceRFQSettlement.cancelNonces, (nextNonce >> 8, random));
        if (number == 2) return abi.encodeCall(IServiceRFQSettlement.cancelNonceRange, (nextNonce, nextNonce + 300));
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](1);
        bytes[] memory signatures = new bytes[](1);
        orders[0] = orderFor(liveBook(random), random, random, random, random & 1 == 0);
        signatures[0] = signed(orders[0]);
        // The caller uses another account's order, or its own order with another account's signature.
        if (random & 2 == 0) orders[0].taker = caller;
        if (number == 3) return abi.encodeCall(IServiceRFQSettlement.fillMany, (orders, signatures));
        if (number == 4) return abi.encodeCall(IServiceRFQSettlement.checkOrder, (orders[0], signatures[0]));
        if (number == 5) return abi.encodeCall(IServiceRFQSettlement.hashOrder, (orders[0]));
        if (number == 6) return abi.encodeCall(IServiceRFQSettlement.fillBatch, (orders, signatures));
        if (number == 7) {
            return abi.encodeCall(IServiceRFQSettlement.fillOne, (orders[0], signatures[0], orders[0].taker));
        }
        if (number == 8) {
            IServiceRFQSettlement.Permit memory permit;
            return abi.encodeCall(IServiceRFQSettlement.fillWithPermit, (orders[0], signatures[0], permit));
        }
        if (number == 9) return abi.encodePacked(bytes4(bytes32(random)), random, random);
        if (number == 11) return payingCall(random, orders[0], signatures[0]);
        // It names itself maker and a smart wallet's key signs, or it names itself both.
        if (number == 10) (orders[0].maker, orders[0].taker) = (caller, caller);
        return abi.encodeCall(IServiceRFQSettlement.fill, (orders[0], signatures[0]));
    }

    /// @dev The caller uses another account's order, in that name or with a false authorization, or its own key for another account.
    function payingCall(uint256 random, IServiceRFQSettlement.Order memory order, bytes memory signature)
        private
        view
        returns (bytes memory)
    {
        IServiceRFQSettlement.Payment memory payment;
        payment.method = IServiceRFQSettlement.PaymentMethod(random >> 8 & 3);
        uint16 bps = uint16(random >> 16 & 0x1ff);
        address partner = address(uint160(random));
        if (random & 12 == 0) {
            return abi.encodeCall(IServiceRFQSettlement.fillWithPartnerFee, (order, signature, partner, bps));
        }
        if (random & 4 == 0) {
            return abi.encodeCall(IServiceRFQSettlement.fillWithPayment, (order, signature, payment, partner, bps));
        }
        if (random & 8 == 0) return abi.encodeCall(IServiceRFQSettlement.authorizeSigner, (order.maker, random));
        IServiceRFQSettlement.FillAuthorization memory authorization = IServiceRFQSettlement.FillAuthorization(
            settlement.hashOrder(order), random, order.maker, block.timestamp, partner, bps
        );
        bytes memory word = sign(1 + random % 1e60, settlement.hashFillAuthorization(authorization));
        return
            abi.encodeCall(
                IServiceRFQSettlement.fillFor, (order, signature, payment, authorization, word, random % 1e6)
            );
    }

    function positionCall(uint256 number, uint256 random, address caller, uint256 index)
        private
        view
        returns (bytes memory)
    {
        uint256 id = books[index].seriesId;
        address actor = actorAt(random >> 8);
        uint256 amount = 1 + (random >> 16) % 3;
        if (number == 12) return abi.encodeCall(IServiceCore.openPositionPaidBy, (actor, actor, caller, id, amount));
        if (number == 13) return abi.encodeCall(IServiceCore.closePosition, (id, amount, caller));
        if (number == 14) return abi.encodeCall(IServiceCore.claimHolderPayout, (id, amount));
        if (number == 15) return abi.encodeCall(IServiceCore.claimHolderPayoutTo, (id, amount, actor));
        if (number == 16) return abi.encodeCall(IServiceCore.claimWriterCollateral, (id));
        if (number == 17) return abi.encodeCall(IServiceCore.claimWriterCollateralTo, (id, caller));
        if (number == 18) return abi.encodeCall(IERC1155.safeTransferFrom, (actor, caller, id, amount, ""));
        if (number == 19) {
            bytes32 digest = core.hashShortTransfer(caller, actor, id, amount, core.nonces(actor), block.timestamp);
            bytes memory acceptance = sign(keys[actor], digest);
            return abi.encodeCall(IServiceCore.moveShort, (actor, id, amount, block.timestamp, acceptance));
        }
        if (number == 20) return abi.encodePacked(bytes4(bytes32(random)), random, random);
        if (number == 21) return abi.encodeCall(IServiceCore.sellLongs, (actor, caller, id, amount));
        if (number == 22) return abi.encodeCall(IServiceCore.closeFor, (id, actor, amount));
        if (number == 23) return abi.encodeCall(IServiceCore.useNonce, ());
        (uint256[] memory ids, uint256[] memory amounts) = (new uint256[](1), new uint256[](1));
        (ids[0], amounts[0]) = (id, amount);
        return abi.encodeCall(IERC1155.safeBatchTransferFrom, (actor, caller, ids, amounts, ""));
    }

    function restrictedCall(uint256 number, uint256 random, Book memory book) private view returns (bytes memory) {
        uint256[] memory ids = new uint256[](1);
        ids[0] = book.seriesId;
        uint16 price = uint16(random >> 32) % 101;
        IRoles.Role role = IRoles.Role((random >> 48) % 5);
        address account = address(uint160(random >> 52));
        if (number == 25) {
            return abi.encodeCall(
                IServiceCore.createSeries,
                (book.conditionId, book.token, address(usd), 5000, uint64(block.timestamp + 2 + random % 1 days), 0)
            );
        }
        if (number == HALTS) return abi.encodeCall(IServiceCore.setHalted, (ids, random & 1 == 0));
        if (number == 27) return abi.encodeCall(IServiceCore.setDefaultCap, (uint64(random)));
        if (number == 28) return abi.encodeCall(IServiceCore.vetoSeries, (book.seriesId));
        if (number == 29) return abi.encodeCall(IServiceCore.proposeManual, (book.seriesId, price));
        if (number == 30) return abi.encodeCall(IServiceCore.executeManual, (book.seriesId));
        if (number == 31) return abi.encodeCall(IRoles.proposeRole, (role, account));
        if (number == 32) return abi.encodeCall(IRoles.confirmRole, (role));
        if (number == 33) return abi.encodeCall(IRoles.removeFromRole, (role, signer));
        if (number == 34) return abi.encodeCall(IRoles.setRole, (role, account));
        if (number == 35) return abi.encodeCall(IServiceCore.vetoManual, (book.seriesId));
        if (number == 36) return abi.encodeCall(IServiceCore.settleFromCondition, (termsOf(book)));
        bytes memory signature = sign(1 + random % 1e60, core.hashAttestation(book.seriesId, price, block.timestamp));
        return abi.encodeCall(IServiceCore.settleWithAttestation, (book.seriesId, price, block.timestamp, signature));
    }
}
