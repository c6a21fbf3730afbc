// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {Test} from "../support/Test.sol";
import {Conditions, Wallet} from "./Accounts.sol";
import {Ledger} from "./Ledger.sol";

/// @title Market
/// @notice The campaign keeps its series, accounts and orders here. An action looks for what it needs from a random place on, and
/// creates it when there is none.
abstract contract Market is Test, Ledger {
    uint256 private constant LIVE = 4;
    uint256 private constant FUNDS = 1 << 140;
    /// @dev Where the relay allots nonces: 20 random bits of its store, then 32 bits of count (decision C7).
    uint256 private constant FIRST_NONCE = 0xABCDE << 32;

    TestUSD internal immutable usd;
    ServiceCore internal immutable core;
    ServiceRFQSettlement internal immutable settlement;
    Conditions internal immutable conditions;
    uint256 internal immutable window;
    uint256 internal immutable cutoff;

    /// @dev Four keys, two smart wallets (ERC-1271) and two keys with delegated code (EIP-7702).
    address[] public actors;
    mapping(address actor => uint256) internal keys;

    address public owner;
    address public guardian;
    address public registrar;
    address public halter;
    address public signer;
    uint256 internal signerKey;
    /// @dev Keys of former and proposed signers, of the owner and of the guardian.
    uint256[] internal strangeKeys;
    uint256 public defaultCap;

    uint256 internal nextNonce = FIRST_NONCE;
    uint256 private nextCondition;
    uint256 private keyCount;

    mapping(string action => uint256) public done;

    /// @dev Nonces that were filled or cancelled, to see that none clears.
    struct Used {
        address maker;
        uint256 nonce;
    }

    Used[] public used;

    /// @dev What the core once called final, and the price that it had then.
    struct Final {
        uint256 seriesId;
        uint256 resolutionBps;
        uint256 finalAt;
    }

    Final[] public finals;
    mapping(uint256 seriesId => bool) private wasFinal;

    constructor(TestUSD usd_, ServiceCore core_, ServiceRFQSettlement settlement_, Conditions conditions_) {
        (usd, core, settlement, conditions) = (usd_, core_, settlement_, conditions_);
        (window, cutoff) = (core_.DISPUTE_WINDOW(), core_.TRADING_CUTOFF());
        (owner, guardian) = (core_.owner(), core_.holderOf(IRoles.Role.Guardian));
        (registrar, signer) = (core_.holderOf(IRoles.Role.Registrar), core_.resolutionSigner());
        halter = core_.holderOf(IRoles.Role.Halter);
    }

    /// @dev Called once by the test, which may mint.
    function start(uint256 signerKey_) external {
        signerKey = signerKey_;
        for (uint256 i = 1; i <= 8; ++i) {
            uint256 key = i * 7919;
            address actor = vm.addr(key);
            if (i == 5 || i == 6) actor = address(new Wallet(actor));
            if (i == 8) key = 7919 * 99;
            if (i > 6) vm.etch(actor, abi.encodePacked(hex"ef0100", new Wallet(vm.addr(key))));
            actors.push(actor);
            keys[actor] = key;
            usd.mint(actor, FUNDS);
            cashOf[actor] = FUNDS;
            vm.prank(actor);
            usd.approve(address(core), type(uint256).max);
            vm.prank(actor);
            usd.approve(address(settlement), type(uint256).max);
            approveInventory(actor, true);
        }
        replenish();
    }

    function actorCount() external view returns (uint256) {
        return actors.length;
    }

    function usedCount() external view returns (uint256) {
        return used.length;
    }

    /// @dev Small most of the time, else up to half of what the series may still have.
    function orderFor(uint256 index, uint256 seed, uint256 amount, uint256 premium, bool makerSelling)
        internal
        returns (IServiceRFQSettlement.Order memory)
    {
        uint256 room = roomIn(books[index]) / 2;
        amount = bound(amount, 1, seed & 3 == 0 || room < 1e6 ? room : 1e6);
        uint256 maker = seed % actors.length;
        return IServiceRFQSettlement.Order({
            maker: actors[maker],
            seriesId: books[index].seriesId,
            optionAmount: amount,
            premiumAmount: bound(premium, 0, amount * books[index].most),
            makerSelling: makerSelling,
            taker: actorAt(maker + 1 + (seed >> 32) % (actors.length - 1)),
            validUntil: block.timestamp + seed % 1000,
            nonce: nextNonce++
        });
    }

    function fillOne(uint256 index, IServiceRFQSettlement.Order memory order) internal {
        bytes memory signature = signed(order);
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signature);
        vm.assertEq(uint256(status), 0, "what fills was fillable");
        vm.prank(order.taker);
        settlement.fill(order, signature);
        bookOrder(index, order);
    }

    function bookOrder(uint256 index, IServiceRFQSettlement.Order memory order) internal {
        used.push(Used(order.maker, order.nonce));
        if (order.makerSelling) bookTrade(index, order.maker, order.taker, order.optionAmount, order.premiumAmount);
        else bookTrade(index, order.taker, order.maker, order.optionAmount, order.premiumAmount);
    }

    /// @dev A partner and its share of the premium; none for one order of four.
    function partnerOf(IServiceRFQSettlement.Order memory order, uint256 seed)
        internal
        view
        returns (address partner, uint16 bps, uint256 share)
    {
        if (seed >> 48 & 3 == 0) return (address(0), 0, 0);
        bps = uint16(1 + (seed >> 56) % 500);
        return (actorAt(seed >> 72), bps, order.premiumAmount * bps / 1e4);
    }

    /// @dev The taker pays it, on either side.
    function bookShare(address taker, address partner, uint256 share) internal {
        cashOf[taker] -= share;
        cashOf[partner == address(0) ? taker : partner] += share;
    }

    function cancelOne(address maker) internal returns (Used memory) {
        vm.prank(maker);
        settlement.cancelNonce(nextNonce);
        return Used(maker, nextNonce++);
    }

    function approveInventory(address holder, bool approved) internal {
        vm.prank(holder);
        core.setApprovalForAll(address(settlement), approved);
    }

    function finalCount() external view returns (uint256) {
        return finals.length;
    }

    /// @dev Looks for final prices, which must stay. This asks the core, and the ledger does not read it.
    function noteFinals() private {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 id = books[i].seriesId;
            if (wasFinal[id] || block.timestamp < books[i].expiry) continue;
            IServiceCore.Series memory series = core.getSeries(id);
            if (!series.settled || block.timestamp < series.finalAt) continue;
            wasFinal[id] = true;
            finals.push(Final(id, series.resolutionBps, series.finalAt));
        }
    }

    /// @dev Keeps at least `LIVE` series open for trading, some of each market and expiry, and puts away what is over.
    function replenish() internal {
        noteFinals();
        retireWhatIsOver();
        uint256 live;
        for (uint256 i = 0; i < books.length; ++i) {
            if (isLive(books[i])) ++live;
        }
        while (live < LIVE) {
            live += openMarket();
        }
    }

    /// @dev Two to four series of a new market and expiry and a package of them all, which is the last book.
    /// @return opened How many.
    function openMarket() internal returns (uint256 opened) {
        uint256 random = uint256(keccak256(abi.encode("series", ++nextCondition)));
        uint256 legCount = bound(random & 7, 2, 4);
        uint256 calls = (random >> 8) % (legCount + 1);
        Book memory package;
        package.conditionId = bytes32(nextCondition);
        package.token = conditions.tokenOf(package.conditionId, address(usd), random >> 200 & 1 == 1 ? 2 : 1);
        package.expiry = block.timestamp + bound(random >> 64, 1 days, 60 days);
        bookFixing(package);
        package.isPackage = true;
        package.legCount = legCount;
        for (uint256 i = 0; i < legCount; ++i) {
            package.puts[i] = i >= calls;
            package.strikes[i] = bound(uint16(random >> 16 * i + 128), 2499 * i + 1, 2499 * i + 2499);
            register(legOf(package, i), address(usd));
        }
        package.quantities = quantitiesOf(random, legCount);
        // One more of the first leg makes a constant sum of legs vary.
        (, uint256 most) = rangeOf(package);
        if (most == 0) package.quantities[0] = package.quantities[0] == 1 ? int256(2) : int256(1);
        vm.prank(actorAt(random));
        core.createPackage(package.conditionId, package.token, uint64(package.expiry), packed(package));
        bookSeries(package);
        return legCount + 1;
    }

    /// @dev -4 to 4, none of them 0 and one of them 1 or -1.
    function quantitiesOf(uint256 random, uint256 legCount) internal pure returns (int256[4] memory quantities) {
        for (uint256 i = 0; i < legCount; ++i) {
            quantities[i] = int256(1 + (random >> 4 * i) % 4);
            if (random >> 32 + i & 1 == 1) quantities[i] = -quantities[i];
        }
        uint256 one = (random >> 40) % legCount;
        quantities[one] = quantities[one] > 0 ? int256(1) : -1;
    }

    /// @dev A caller without a role tries a restricted call at a moment when it could do harm.
    function strangersTry(uint256 index) internal virtual;

    /// @dev Registers a call or put, by the owner or the registrar.
    function register(Book memory book, address collateral) internal {
        vm.prank(registrar == address(0) || nextCondition & 1 == 0 ? owner : registrar);
        core.createSeries(
            book.conditionId, book.token, collateral, uint16(book.strikes[0]), uint64(book.expiry), book.puts[0] ? 1 : 0
        );
        bookSeries(book);
    }

    /// @dev The call or put that is a leg of a package.
    function legOf(Book memory package, uint256 leg) internal pure returns (Book memory book) {
        (book.conditionId, book.token, book.expiry) = (package.conditionId, package.token, package.expiry);
        (book.fixing, book.legCount, book.quantities[0]) = (package.fixing, 1, 1);
        (book.puts[0], book.strikes[0]) = (package.puts[leg], package.strikes[leg]);
        book.seriesId = idOf(book);
    }

    /// @dev The first series of a market and expiry makes the fixing, with the cap of that moment.
    function bookFixing(Book memory first) internal {
        Fixing storage fixing = fixings.push();
        (fixing.expiry, fixing.cap) = (first.expiry, defaultCap);
        first.fixing = fixings.length;
    }

    function bookSeries(Book memory book) internal {
        book.seriesId = idOf(book);
        (book.floor, book.most) = rangeOf(book);
        books.push(book);
    }

    /// @dev Returns the index of a series among the books, or their number if it is not there.
    function indexOf(uint256 seriesId) internal view returns (uint256 index) {
        while (index < books.length && books[index].seriesId != seriesId) ++index;
    }

    /// @dev The legs of a package as the core wants them.
    function packed(Book memory book) internal pure returns (uint256 legs) {
        for (uint256 i = book.legCount; i > 0; --i) {
            uint256 leg = book.puts[i - 1] ? 65_536 : 0;
            legs = legs * 2 ** 32 + (uint256(256 + book.quantities[i - 1]) % 256) * 2 ** 24 + leg + book.strikes[i - 1];
        }
    }

    /// @dev Returns the legs of any series from the core.
    function legsOf(Book memory book) external pure returns (uint256) {
        return packed(book);
    }

    function idOf(Book memory book) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(termsOf(book))));
    }

    function passTo(uint256 time) internal {
        if (time > block.timestamp) vm.warp(time);
    }

    function isLive(Book memory book) internal view returns (bool) {
        return !book.halted && block.timestamp < endOf(book) && roomIn(book) >= 8;
    }

    /// @dev Second at which trading ends.
    function endOf(Book memory book) internal view returns (uint256) {
        return book.expiry - cutoff;
    }

    /// @dev A series of the same fixing, perhaps itself.
    function siblingOf(uint256 index, uint256 seed) internal view returns (uint256 sibling) {
        for (uint256 i = 0; i < books.length; ++i) {
            sibling = (seed + i) % books.length;
            if (books[sibling].fixing == books[index].fixing) return sibling;
        }
    }

    function liveBook(uint256 seed) internal returns (uint256) {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (isLive(books[index])) return index;
        }
        openMarket();
        return books.length - 1;
    }

    /// @dev An expired series without a price, waiting for one when there is none.
    function expiredBook(uint256 seed) internal returns (uint256) {
        return unpricedBook(seed, true);
    }

    /// @dev Returns such a series that is open to attestations.
    function attestableBook(uint256 seed) internal returns (uint256) {
        return unpricedBook(seed, false);
    }

    function unpricedBook(uint256 seed, bool mayBeVetoed) private returns (uint256 soonest) {
        // So that there is one to wait for.
        liveBook(seed);
        bool found;
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (hasPrice(books[index]) || (isVetoed(index) && !mayBeVetoed)) continue;
            if (block.timestamp >= books[index].expiry) return index;
            if (!found || books[index].expiry < books[soonest].expiry) (soonest, found) = (index, true);
        }
        passTo(books[soonest].expiry);
    }

    function isVetoed(uint256 index) internal view returns (bool) {
        return fixingBy(books[index].fixing).vetoed;
    }

    function finalAtOf(uint256 index) internal view returns (uint256) {
        return fixingBy(books[index].fixing).finalAt;
    }

    /// @dev A series with holders, with a price or without, trading one when there is none.
    function tradedBook(uint256 seed) internal returns (uint256 index) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            if (books[index].longs > 0) return index;
        }
        index = liveBook(seed);
        fillOne(index, orderFor(index, seed, seed, seed, true));
    }

    /// @dev Returns a series with a final price and a position left, and settles one if there is none.
    function finalBook(uint256 seed) internal returns (uint256 index) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            if (isFinal(books[index]) && books[index].longs + books[index].shorts > 0) return index;
        }
        index = liveBook(seed);
        fillOne(index, orderFor(index, seed, seed, seed, true));
        uint256 id = books[index].seriesId;
        passTo(books[index].expiry);
        if (isVetoed(index)) priceByHand(index, uint16(seed % 101));
        else attest(index, uint16(seed % 101), 0, address(this));
        passTo(finalAtOf(index));
        replenish();
        // Books that are over were put away, and others have their places.
        index = indexOf(id);
    }

    /// @dev Returns an account on both sides of a series, and trades there and back if there is none.
    function twoSided(uint256 seed) internal returns (uint256 index, address account) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            for (uint256 j = 0; j < actors.length; ++j) {
                account = actorAt(seed + j);
                uint256 id = books[index].seriesId;
                if (longOf[id][account] > 0 && shortOf[id][account] > 0) return (index, account);
            }
        }
        index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed | 1, seed, seed, true);
        fillOne(index, order);
        order.makerSelling = false;
        order.nonce = nextNonce++;
        fillOne(index, order);
        return (index, order.maker);
    }

    /// @dev The active signer signs for one series of a fixing; a signer is appointed when there is none.
    function attest(uint256 index, uint16 resolutionBps, uint256 validFor, address relayer) internal {
        if (signer == address(0)) appointSigner(uint256(keccak256(abi.encode("signer", block.timestamp, index))));
        uint256 id = books[index].seriesId;
        uint256 validUntil = block.timestamp + validFor;
        bytes memory signature = attestation(id, resolutionBps, validUntil);
        vm.prank(relayer);
        core.settleWithAttestation(id, resolutionBps, validUntil, signature);
        bookPrice(index, resolutionBps, block.timestamp + window, terms);
        strangersTry(index);
    }

    function attestation(uint256 id, uint16 resolutionBps, uint256 validUntil) internal view returns (bytes memory) {
        return sign(signerKey, core.hashAttestation(id, resolutionBps, validUntil));
    }

    /// @dev Announced for one series of a fixing, and executed for another.
    function priceByHand(uint256 index, uint16 resolutionBps) internal {
        announce(index, resolutionBps);
        passTo(block.timestamp + 24 hours);
        strangersTry(index);
        vm.prank(owner);
        core.executeManual(books[siblingOf(index, resolutionBps)].seriesId);
        bookPrice(index, resolutionBps, block.timestamp, 0);
    }

    /// @dev The owner announces a price as soon as it may.
    function announce(uint256 index, uint16 resolutionBps) internal {
        uint256 earliest = manualFrom(books[index].fixing);
        if (block.timestamp < earliest) {
            passTo(earliest - 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, earliest, earliest - 1));
            vm.prank(owner);
            core.proposeManual(books[index].seriesId, resolutionBps);
            passTo(earliest);
        }
        vm.prank(owner);
        core.proposeManual(books[index].seriesId, resolutionBps);
        bookAnnouncement(index, resolutionBps, block.timestamp + 24 hours);
    }

    /// @dev A key, or a wallet that answers for one.
    function appointSigner(uint256 seed) internal {
        (address next, uint256 key) = proposeSigner(seed);
        passTo(block.timestamp + 3 days);
        takeOver(next, key);
    }

    /// @dev The signer loses its role at once, with its prices that are not final, and never gets it again.
    function revoke() internal {
        vm.prank(signerKey & 1 == 0 ? owner : guardian);
        core.removeFromRole(IRoles.Role.ResolutionSigner, signer);
        vm.expectRevert(abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, signer));
        propose(IRoles.Role.ResolutionSigner, signer);
        strangeKeys.push(signerKey);
        signer = address(0);
        bookRevocation();
    }

    function proposeSigner(uint256 seed) internal returns (address next, uint256 key) {
        key = freshKey(seed);
        next = seed & 1 == 0 ? vm.addr(key) : address(new Wallet(vm.addr(key)));
        propose(IRoles.Role.ResolutionSigner, next);
    }

    function takeOver(address next, uint256 key) internal {
        confirm(IRoles.Role.ResolutionSigner, next);
        (signer, signerKey) = (next, key);
        bookAppointment();
    }

    /// @dev The proposed account takes its role, which neither the owner nor the guardian does for it.
    function confirm(IRoles.Role role, address next) internal {
        strangersTry(0);
        address other = uint160(next) & 1 == 0 ? owner : guardian;
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotProposed.selector, role, other));
        vm.prank(other);
        core.confirmRole(role);
        vm.prank(next);
        core.confirmRole(role);
    }

    /// @dev Returns a new key, which was never revoked.
    function freshKey(uint256 seed) internal returns (uint256) {
        return bound(uint256(keccak256(abi.encode(seed, ++keyCount))), 1, 1e60);
    }

    function propose(IRoles.Role role, address account) internal {
        vm.prank(owner);
        core.proposeRole(role, account);
    }

    function termsOf(Book memory book) internal pure returns (IServiceCore.Terms memory) {
        uint256 shape = book.isPackage ? packed(book) : book.strikes[0];
        uint8 kind = book.isPackage ? 2 : book.puts[0] ? 1 : 0;
        return IServiceCore.Terms(book.conditionId, book.token, shape, uint64(book.expiry), kind);
    }

    function holderIn(uint256 index, uint256 seed) internal view returns (address) {
        for (uint256 j = 0; j < actors.length; ++j) {
            address actor = actorAt(seed + j);
            if (longOf[books[index].seriesId][actor] > 0) return actor;
        }
        return address(0);
    }

    function writerIn(uint256 index, uint256 seed) internal view returns (address) {
        for (uint256 j = 0; j < actors.length; ++j) {
            address actor = actorAt(seed + j);
            if (shortOf[books[index].seriesId][actor] > 0) return actor;
        }
        return address(0);
    }

    function actorAt(uint256 seed) internal view returns (address) {
        return actors[seed % actors.length];
    }

    function signed(IServiceRFQSettlement.Order memory order) internal view returns (bytes memory) {
        return sign(keys[order.maker], settlement.hashOrder(order));
    }

    function sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }
}
