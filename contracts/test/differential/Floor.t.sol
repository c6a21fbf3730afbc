// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {Vm} from "../support/Vm.sol";
import {World} from "../support/World.sol";

/// @title Storing
/// @notice This cheatcode of forge writes a storage word.
interface Storing {
    function store(address target, bytes32 slot, bytes32 value) external;
}

/// @title FloorTest
/// @notice The contracts and the hand-written contracts of contracts/gas take the same random steps, each pair on a stablecoin of
/// its own. Both accept and refuse alike, return the same, emit the same events and leave the same money and positions. The
/// histories leave out what the hand-written contracts omit: reasons for refusals, ERC-1271, halts, packages, and words with
/// stray high bits. A new signer is written into their storage.
contract FloorTest is World {
    /// @dev One of the two: a stablecoin and the pair of contracts on it.
    struct Side {
        TestUSD usd;
        address core;
        address settlement;
        bytes32 coreDomain;
        bytes32 settlementDomain;
    }

    /// @dev A permit before it is signed, by the right key or not.
    struct Approval {
        uint256 key;
        uint256 value;
        uint256 deadline;
    }

    enum Step {
        Fill,
        Sell,
        FillBatch,
        FillWithPermit,
        Close,
        ClaimAsHolder,
        ClaimAsWriter,
        Settle,
        CreateSeries,
        WriteDirectly,
        Approve,
        ChangeSigner,
        Pass
    }

    uint256 private constant STEPS = 13;
    bytes32 private constant ORDER = 0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc;
    bytes32 private constant ATTESTATION = 0x0e9085255ba2b847122246107e48b66adf38263746e1a8b8b18da95e7d1f824f;
    uint256 private constant GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
    /// @dev More than any order of these histories can need.
    uint256 private constant RICH = 1 << 180;
    uint256 private constant LENGTH = 150;
    /// @dev Steps by number, each as often as it should come.
    bytes private constant OFTEN = hex"0000000001010101020203030404040405050505060606070707080808090a0a0a0b0c";
    /// @dev FloorCore.yul has three tables of numbers: fixings, exposures, and the seconds at which terms were revoked.
    uint256 private constant FIXINGS = 1 << 32;
    uint256 private constant EXPOSURES = 1 << 33;
    uint256 private constant REVOCATIONS = 1 << 34;

    uint256[4] private keys = [MAKER_KEY, TAKER_KEY, 0xCA41, 0xDA7E];
    Side[2] private sides;
    uint256[] private ids;
    uint256[STEPS] private accepted;
    uint256[STEPS] private refused;
    uint256 private random;
    uint256 private signerKey;
    uint256 private nextSignerKey;

    /// @dev Seconds between an attested price and its being final.
    function window() internal pure virtual returns (uint64) {
        return 0;
    }

    /// @dev Micro-dollars that a fixing can owe at most; 0 for no cap.
    function cap() internal pure virtual returns (uint64) {
        return 0;
    }

    /// @dev Seconds before expiry at which trading ends.
    function cutoff() internal pure virtual returns (uint64) {
        return 0;
    }

    function setUp() public override {
        super.setUp();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.disputeWindow, setup.tradingCutoff) = (window(), cutoff());
        (core, settlement) = deploy(setup);
        vm.prank(owner);
        core.setDefaultCap(cap());
        signerKey = SIGNER_KEY;
        sides[0] = sideOf(usd, address(core), address(settlement));
        TestUSD other = TestUSD(create(codeOf("TestUSD"), abi.encode(address(this), address(this))));
        uint64 next = vm.getNonce(address(this));
        sides[1] = sideOf(
            other, vm.computeCreateAddress(address(this), next), vm.computeCreateAddress(address(this), next + 1)
        );
        uint256 registrarAndCap = uint160(registrar) | uint256(cap()) << 160;
        Side memory floor = sides[1];
        create(
            vm.getCode("contracts/cache/floor/FloorCore.json"),
            abi.encode(
                other, floor.settlement, signer, registrarAndCap, floor.coreDomain, block.chainid, window(), cutoff()
            )
        );
        create(
            vm.getCode("contracts/cache/floor/FloorSettlement.json"),
            abi.encode(floor.core, other, floor.settlementDomain, block.chainid)
        );
        for (uint256 i = 0; i < keys.length; ++i) {
            for (uint256 s = 0; s < 2; ++s) {
                sides[s].usd.mint(vm.addr(keys[i]), RICH - sides[s].usd.balanceOf(vm.addr(keys[i])));
                approve(s, i, sides[s].core, type(uint256).max);
                approve(s, i, sides[s].settlement, type(uint256).max);
            }
        }
    }

    function test_random_histories_end_alike() external {
        uint256 histories = vm.envOr("HISTORIES", uint256(20));
        uint256[STEPS] memory acceptedInAll;
        uint256[STEPS] memory refusedInAll;
        uint256 state = vm.snapshotState();
        for (uint256 seed = 0; seed < histories; ++seed) {
            (uint256[STEPS] memory accepted_, uint256[STEPS] memory refused_) = this.history(seed);
            for (uint256 i = 0; i < STEPS; ++i) {
                acceptedInAll[i] += accepted_[i];
                refusedInAll[i] += refused_[i];
            }
            vm.revertToState(state);
        }
        for (uint256 i = 0; i < STEPS; ++i) {
            string memory what = string.concat("step ", vm.toString(i));
            if (i != uint256(Step.WriteDirectly)) {
                vm.assertTrue(acceptedInAll[i] >= 10, string.concat(what, " accepted"));
            }
            if (i < uint256(Step.Approve)) vm.assertTrue(refusedInAll[i] >= 10, string.concat(what, " refused"));
        }
    }

    function history(uint256 seed) external returns (uint256[STEPS] memory, uint256[STEPS] memory) {
        random = seed;
        ids = new uint256[](0);
        for (uint256 i = 0; i < 3; ++i) {
            createSeries(false);
        }
        for (uint256 i = 0; i < LENGTH; ++i) {
            step(Step(uint8(OFTEN[draw(OFTEN.length)])));
            if (i % 10 == 0) compareAll();
        }
        compareAll();
        return (accepted, refused);
    }

    function step(Step kind) private {
        if (kind == Step.Fill) fillOne(true);
        else if (kind == Step.Sell) fillOne(false);
        else if (kind == Step.FillBatch) fillBatch();
        else if (kind == Step.FillWithPermit) fillWithPermit();
        else if (kind == Step.Close) close();
        else if (kind == Step.ClaimAsHolder) claimAsHolder();
        else if (kind == Step.ClaimAsWriter) claimAsWriter();
        else if (kind == Step.Settle) settleOne();
        else if (kind == Step.CreateSeries) createSeries(oneIn(2));
        else if (kind == Step.WriteDirectly) writeDirectly();
        else if (kind == Step.Approve) approveSome();
        else if (kind == Step.ChangeSigner) changeSigner();
        else pass();
    }

    function fillOne(bool makerSelling) private {
        (IServiceRFQSettlement.Order memory order, uint256 signer_) = someOrderOf(draw(4), makerSelling);
        address sender = oneIn(20) ? anyone() : order.taker;
        uint256 form = draw(60);
        bytes[2] memory calls;
        for (uint256 s = 0; s < 2; ++s) {
            bytes memory signature = formed(sign(signer_, digest(s, order)), form);
            calls[s] = abi.encodeCall(IServiceRFQSettlement.fill, (order, signature));
        }
        take(makerSelling ? Step.Fill : Step.Sell, sender, sides[0].settlement, sides[1].settlement, calls);
    }

    function fillBatch() private {
        uint256 size = draw(4);
        uint256 taker_ = draw(4);
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](size);
        bytes[] memory ours = new bytes[](oneIn(20) ? size + 1 : size);
        bytes[] memory theirs = new bytes[](ours.length);
        for (uint256 i = 0; i < size; ++i) {
            uint256 key;
            (orders[i], key) = someOrderOf(taker_, oneIn(2));
            ours[i] = sign(key, digest(0, orders[i]));
            theirs[i] = sign(key, digest(1, orders[i]));
        }
        take(
            Step.FillBatch,
            vm.addr(keys[taker_]),
            sides[0].settlement,
            sides[1].settlement,
            [
                abi.encodeCall(IServiceRFQSettlement.fillBatch, (orders, ours)),
                abi.encodeCall(IServiceRFQSettlement.fillBatch, (orders, theirs))
            ]
        );
    }

    /// @dev The permit is good, stale, too small or another account's; allowances are often missing without it.
    function fillWithPermit() private {
        uint256 taker_ = draw(4);
        (IServiceRFQSettlement.Order memory order, uint256 key) = someOrderOf(taker_, oneIn(2));
        Approval memory approval = Approval(
            keys[oneIn(10) ? draw(4) : taker_],
            oneIn(3) ? type(uint256).max : order.premiumAmount,
            block.timestamp + draw(30) - 3
        );
        bool isRevoked = oneIn(3);
        bytes[2] memory calls;
        for (uint256 s = 0; s < 2; ++s) {
            address spender = order.makerSelling ? sides[s].settlement : sides[s].core;
            if (isRevoked) approve(s, taker_, spender, 0);
            calls[s] = abi.encodeCall(
                IServiceRFQSettlement.fillWithPermit,
                (order, sign(key, digest(s, order)), permitOf(sides[s].usd, order.taker, spender, approval))
            );
        }
        take(Step.FillWithPermit, order.taker, sides[0].settlement, sides[1].settlement, calls);
    }

    function close() private {
        uint256 id = someId(oneIn(2));
        (address account, uint256 held) = holderOf(id);
        uint256 short = core.shortOf(id, account);
        uint256 amount = someOf(held < short ? held : short);
        uint256 recipient = draw(60);
        bytes[2] memory calls;
        for (uint256 s = 0; s < 2; ++s) {
            address[3] memory bad = [address(0), sides[s].core, sides[s].settlement];
            address to = recipient < 3 ? bad[recipient] : vm.addr(keys[recipient % 4]);
            calls[s] = abi.encodeCall(IServiceCore.closePosition, (id, amount, to));
        }
        take(Step.Close, account, sides[0].core, sides[1].core, calls);
    }

    function claimAsHolder() private {
        uint256 id = pricedId();
        (address account, uint256 held) = holderOf(id);
        atCore(Step.ClaimAsHolder, account, abi.encodeCall(IServiceCore.claimHolderPayout, (id, someOf(held))));
    }

    function claimAsWriter() private {
        uint256 id = pricedId();
        address account = anyone();
        for (uint256 i = 0; i < 4 && core.shortOf(id, account) == 0; ++i) {
            account = anyone();
        }
        atCore(Step.ClaimAsWriter, account, abi.encodeCall(IServiceCore.claimWriterCollateral, (id)));
    }

    function settleOne() private {
        uint256 id = someId(false);
        if (isKnown(id) && oneIn(3)) passTo(seriesOf(id).expiry);
        uint16 resolution = uint16(oneIn(8) ? 99 + draw(4) : oneIn(20) ? draw(1 << 16) : draw(101));
        uint256 validUntil = block.timestamp + draw(900) - 100;
        uint256 key = oneIn(8) ? keys[draw(4)] : signerKey;
        uint256 form = draw(60);
        bytes[2] memory calls;
        for (uint256 s = 0; s < 2; ++s) {
            bytes32 structHash = keccak256(abi.encode(ATTESTATION, id, resolution, validUntil));
            bytes memory signature = formed(sign(key, typed(sides[s].coreDomain, structHash)), form);
            calls[s] = abi.encodeCall(IServiceCore.settleWithAttestation, (id, resolution, validUntil, signature));
        }
        take(Step.Settle, anyone(), sides[0].core, sides[1].core, calls);
    }

    function createSeries(bool mayBeBad) private {
        bytes32 condition = bytes32(draw(2));
        uint16 strike = mayBeBad && oneIn(4) ? uint16(draw(10) * 2000) : uint16(1 + draw(9999));
        uint64 expiry = uint64(mayBeBad && oneIn(4) ? block.timestamp + draw(2) * 36_526 days : someExpiry());
        uint8 kind = uint8(draw(mayBeBad ? 4 : 2));
        address sender = mayBeBad && oneIn(4) ? anyone() : registrar;
        bytes memory call = abi.encodeCall(IServiceCore.createSeries, (condition, 7, address(0), strike, expiry, kind));
        if (atCore(Step.CreateSeries, sender, call)) ids.push(core.seriesIdOf(condition, 7, strike, expiry, kind));
        if (mayBeBad && oneIn(4)) atCore(Step.CreateSeries, registrar, call);
    }

    /// @dev At any second, or at one of few, so that series have siblings.
    function someExpiry() private returns (uint256) {
        if (oneIn(4)) return block.timestamp + 1 + draw(12 days);
        return (block.timestamp / 1 days + 1 + draw(10)) * 1 days;
    }

    function writeDirectly() private {
        atCore(
            Step.WriteDirectly,
            anyone(),
            abi.encodeCall(IServiceCore.openPositionPaidBy, (anyone(), anyone(), anyone(), someId(true), draw(3)))
        );
    }

    function approveSome() private {
        (uint256 account, bool isCore) = (draw(4), oneIn(2));
        uint256 value = oneIn(4) ? 0 : oneIn(4) ? 1e12 : type(uint256).max;
        for (uint256 s = 0; s < 2; ++s) {
            approve(s, account, isCore ? sides[s].core : sides[s].settlement, value);
        }
        ++accepted[uint256(Step.Approve)];
    }

    /// @dev Replaces the signer, or revokes it, which leaves the role vacant until the next such step.
    function changeSigner() private {
        uint32 term = core.signerTerm();
        if (nextSignerKey == 0) {
            nextSignerKey = 1 + draw(1 << 128);
            vm.prank(owner);
            core.proposeRole(IRoles.Role.ResolutionSigner, vm.addr(nextSignerKey));
            if (oneIn(3)) return;
            vm.prank(guardian);
            core.removeFromRole(IRoles.Role.ResolutionSigner, vm.addr(signerKey));
            storeInFloor(REVOCATIONS + term, block.timestamp);
            storeInFloor(0, uint256(term) << 160);
        } else {
            (, uint64 acceptableAt, uint64 lapsesAt) = core.pendingRole(IRoles.Role.ResolutionSigner);
            passTo(acceptableAt);
            if (block.timestamp > lapsesAt) {
                vm.prank(owner);
                core.proposeRole(IRoles.Role.ResolutionSigner, vm.addr(nextSignerKey));
                passTo(block.timestamp + 3 days);
            }
            vm.prank(vm.addr(nextSignerKey));
            core.confirmRole(IRoles.Role.ResolutionSigner);
            storeInFloor(0, uint256(term + 1) << 160 | uint160(vm.addr(nextSignerKey)));
            (signerKey, nextSignerKey) = (nextSignerKey, 0);
        }
        ++accepted[uint256(Step.ChangeSigner)];
    }

    function pass() private {
        passTo(block.timestamp + draw(oneIn(4) ? 1 days : 1 hours));
        ++accepted[uint256(Step.Pass)];
    }

    /// @dev The order is good most of the time, and its maker's key signs it.
    function someOrderOf(uint256 taker_, bool makerSelling)
        private
        returns (IServiceRFQSettlement.Order memory order, uint256 key)
    {
        uint256 maker_ = oneIn(30) ? taker_ : (taker_ + 1 + draw(3)) % 4;
        order.maker = vm.addr(keys[maker_]);
        order.taker = vm.addr(keys[taker_]);
        order.makerSelling = makerSelling;
        order.seriesId = someId(true);
        order.optionAmount = oneIn(20) ? 0 : someAmount(order.seriesId);
        uint256 most = isKnown(order.seriesId) ? core.maxPayoff(order.seriesId) : 1e6;
        unchecked {
            uint256 collateral = order.optionAmount * most;
            order.premiumAmount = oneIn(6) ? collateral + draw(3) - 1 : draw(order.optionAmount * 20_000 + 1);
        }
        order.validUntil = block.timestamp + draw(200) - 10;
        // Few numbers, so that some are used again, near and where the relay allots them.
        order.nonce = (oneIn(2) ? 0 : 0xABCDE << 32) + draw(400);
        key = oneIn(20) ? keys[draw(4)] : keys[maker_];
    }

    /// @dev Small, or about a power of two, or about what a series can still hold.
    function someAmount(uint256 id) private returns (uint256) {
        if (isKnown(id) && oneIn(12)) return seriesOf(id).openInterestCap + draw(3) - seriesOf(id).openInterest;
        return oneIn(4) ? (1 << draw(71)) + draw(3) : 1 + draw(1000);
    }

    function someOf(uint256 most) private returns (uint256) {
        return oneIn(6) ? most + draw(2) : draw(most + 1);
    }

    /// @dev Returns a series before its expiry, or after it, most of the time if there is one.
    function someId(bool isLive) private returns (uint256 id) {
        if (oneIn(20)) return draw(5);
        for (uint256 i = 0; i < 6; ++i) {
            id = ids[draw(ids.length)];
            if (block.timestamp < seriesOf(id).expiry == isLive) return id;
        }
    }

    /// @dev Returns a series with a price most of the time if there is one, and may wait for the end of its window.
    function pricedId() private returns (uint256 id) {
        for (uint256 i = 0; i < 8; ++i) {
            id = someId(false);
            if (!isKnown(id) || !seriesOf(id).settled) continue;
            if (oneIn(3)) passTo(seriesOf(id).finalAt);
            return id;
        }
    }

    function anyone() private returns (address) {
        return oneIn(10) ? stranger : vm.addr(keys[draw(4)]);
    }

    /// @dev Returns a holder of options of the series, if there is one.
    function holderOf(uint256 id) private returns (address account, uint256 held) {
        uint256 first = draw(4);
        for (uint256 i = 0; i < 4; ++i) {
            account = vm.addr(keys[(first + i) % 4]);
            held = core.balanceOf(account, id);
            if (held > 0 && (core.shortOf(id, account) > 0 || oneIn(4))) return (account, held);
        }
    }

    function isKnown(uint256 id) private view returns (bool) {
        for (uint256 i = 0; i < ids.length; ++i) {
            if (ids[i] == id) return true;
        }
        return false;
    }

    /// @dev The signature stays as it is most of the time; else it gets a high s or a v of 0 or 1, or is too short, too long or empty.
    function formed(bytes memory signature, uint256 form) private pure returns (bytes memory) {
        if (form > 5) return signature;
        (bytes32 r, uint256 s, uint8 v) = partsOf(signature);
        if (form == 1) return abi.encodePacked(r, GROUP_ORDER - s, v == 27 ? 28 : 27);
        if (form == 2) return abi.encodePacked(r, s, v - 27);
        if (form == 3) return abi.encodePacked(r, s);
        if (form == 4) return abi.encodePacked(r, s, v, uint8(0));
        if (form == 5) return abi.encodePacked(r, uint256(0), v);
        return "";
    }

    function partsOf(bytes memory signature) private pure returns (bytes32 r, uint256 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
    }

    function atCore(Step kind, address sender, bytes memory data) private returns (bool) {
        return take(kind, sender, sides[0].core, sides[1].core, [data, data]);
    }

    /// @dev Both take the step; they pass and answer alike and tell the same.
    function take(Step kind, address sender, address ours, address theirs, bytes[2] memory calls)
        private
        returns (bool passed)
    {
        string memory what = string.concat("step ", vm.toString(uint256(kind)));
        vm.recordLogs();
        vm.prank(sender);
        bytes memory answer;
        (passed, answer) = ours.call(calls[0]);
        bytes32 told = toldBy(0);
        vm.recordLogs();
        vm.prank(sender);
        (bool passedToo, bytes memory sameAnswer) = theirs.call(calls[1]);
        vm.assertTrue(passed == passedToo, what);
        if (passed) {
            vm.assertEq(keccak256(answer), keccak256(sameAnswer), what);
            vm.assertEq(told, toldBy(1), what);
            ++accepted[uint256(kind)];
        } else {
            ++refused[uint256(kind)];
        }
    }

    /// @dev A hash of the events since `recordLogs`, with the addresses of a side's contracts taken out.
    function toldBy(uint256 s) private returns (bytes32 hash) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            hash = keccak256(abi.encode(hash, neutral(s, logs[i].emitter), logs[i].data));
            for (uint256 j = 0; j < logs[i].topics.length; ++j) {
                bytes32 topic = logs[i].topics[j];
                if (uint256(topic) >> 160 == 0) topic = bytes32(uint256(neutral(s, address(uint160(uint256(topic))))));
                hash = keccak256(abi.encode(hash, topic));
            }
        }
    }

    function neutral(uint256 s, address account) private view returns (uint256) {
        if (account == address(sides[s].usd)) return 1;
        if (account == sides[s].core) return 2;
        if (account == sides[s].settlement) return 3;
        return uint256(uint160(account));
    }

    function compareAll() private view {
        vm.assertEq(sides[0].usd.balanceOf(sides[0].core), sides[1].usd.balanceOf(sides[1].core), "locked");
        for (uint256 i = 0; i < 4; ++i) {
            address account = vm.addr(keys[i]);
            vm.assertEq(sides[0].usd.balanceOf(account), sides[1].usd.balanceOf(account), "cash");
            for (uint256 j = 0; j < ids.length; ++j) {
                vm.assertEq(core.balanceOf(account, ids[j]), floorPosition(ids[j], account, 4), "long");
                vm.assertEq(core.shortOf(ids[j], account), floorPosition(ids[j], account, 3), "short");
            }
        }
        for (uint256 j = 0; j < ids.length; ++j) {
            compareWords(ids[j]);
        }
    }

    /// @dev The words of a series, of its fixing and of what that can owe.
    function compareWords(uint256 id) private view {
        IServiceCore.Series memory series = seriesOf(id);
        uint256 leg = uint256(series.optionType) << 14 | series.strikeBps;
        bool isCapped = core.exposureOf(id).cap != 0;
        uint256 word = series.expiry | uint256(series.fixing) << 40 | (isCapped ? 1 << 73 : 0) | leg << 76
            | uint256(series.maxPayoff / 100) << 168 | uint256(series.openInterest) << 188;
        vm.assertEq(fromFloor(uint256(keccak256(abi.encode(id, 2)))), word, "word of the series");
        IServiceCore.Exposure memory exposure = core.exposureOf(id);
        uint256 both = uint256(exposure.cap) << 128 | exposure.owed;
        vm.assertEq(fromFloor(EXPOSURES + series.fixing), both, "word of the exposure");
        uint256 fixing = fromFloor(FIXINGS + series.fixing);
        vm.assertEq(fixing & type(uint40).max, series.expiry, "expiry of the fixing");
        if (!series.settled) return;
        vm.assertEq(fixing >> 48 & 0xff, series.resolutionBps, "price of the fixing");
        vm.assertEq(fixing >> 56 & type(uint40).max, series.finalAt, "end of the window");
    }

    /// @dev FloorCore.yul keeps positions at hash(id, account << 8 | table): 3 for shorts, 4 for longs.
    function floorPosition(uint256 id, address account, uint256 table) private view returns (uint256) {
        return fromFloor(uint256(keccak256(abi.encode(id, uint256(uint160(account)) << 8 | table))));
    }

    function fromFloor(uint256 slot) private view returns (uint256) {
        return uint256(vm.load(sides[1].core, bytes32(slot)));
    }

    function storeInFloor(uint256 slot, uint256 value) private {
        Storing(address(vm)).store(sides[1].core, bytes32(slot), bytes32(value));
    }

    function sideOf(TestUSD usd_, address core_, address settlement_) private view returns (Side memory) {
        return
            Side(
                usd_, core_, settlement_, domainOf("ServiceCore", core_), domainOf("ServiceRFQSettlement", settlement_)
            );
    }

    function domainOf(string memory name, address verifier) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                verifier
            )
        );
    }

    function digest(uint256 s, IServiceRFQSettlement.Order memory order) private view returns (bytes32) {
        return typed(sides[s].settlementDomain, keccak256(abi.encode(ORDER, order)));
    }

    function typed(bytes32 domain, bytes32 structHash) private pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }

    function permitOf(TestUSD token, address wallet, address spender, Approval memory approval_)
        private
        view
        returns (IServiceRFQSettlement.Permit memory permit)
    {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                wallet,
                spender,
                approval_.value,
                token.nonces(wallet),
                approval_.deadline
            )
        );
        (permit.value, permit.deadline) = (approval_.value, approval_.deadline);
        (permit.v, permit.r, permit.s) = vm.sign(approval_.key, typed(token.DOMAIN_SEPARATOR(), structHash));
    }

    function approve(uint256 s, uint256 account, address spender, uint256 value) private {
        vm.prank(vm.addr(keys[account]));
        sides[s].usd.approve(spender, value);
    }

    function passTo(uint256 time) private {
        if (time > block.timestamp) vm.warp(time);
    }

    function draw(uint256 size) private returns (uint256) {
        random = uint256(keccak256(abi.encode(random)));
        return size == 0 ? 0 : random % size;
    }

    function oneIn(uint256 size) private returns (bool) {
        return draw(size) == 0;
    }
}

/// @title DisputedFloorTest
/// @notice The same histories run with a dispute window of an hour, a cap and a trading cut-off.
contract DisputedFloorTest is FloorTest {
    function window() internal pure override returns (uint64) {
        return 1 hours;
    }

    function cap() internal pure override returns (uint64) {
        return 1e12;
    }

    function cutoff() internal pure override returns (uint64) {
        return 30 minutes;
    }
}
