// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IServiceRFQSettlement
/// @notice The settlement contract turns a maker's signed order into a trade, all or nothing. It holds no funds between calls.
/// Premiums pass from buyer to seller directly, collateral from writer to core; what a taker pays by a signed transfer passes
/// through within one call.
interface IServiceRFQSettlement {
    /// @notice An order is a maker's signed offer to one taker, EIP-712 domain `ServiceRFQSettlement`, version `1`.
    /// @param maker Wallet that is bound by its key (ECDSA), its contract (ERC-1271) or a key that it authorized.
    /// @param seriesId Series of the core, also the ERC-1155 id.
    /// @param optionAmount Whole options.
    /// @param premiumAmount Micro-dollars for the whole amount, at most the collateral.
    /// @param makerSelling true: the maker writes and the taker buys; false: the taker writes and the maker buys.
    /// @param taker The only wallet that can fill the order.
    /// @param validUntil Last second at which the order can be filled.
    /// @param nonce Number of the maker's, used once. Numbers that differ only in the low 8 bits share a storage word.
    struct Order {
        address maker;
        uint256 seriesId;
        uint256 optionAmount;
        uint256 premiumAmount;
        bool makerSelling;
        address taker;
        uint256 validUntil;
        uint256 nonce;
    }

    /// @notice A permit is the taker's EIP-2612 approval of the one spender that its side needs: this contract when it buys,
    /// the core when it writes.
    /// @param value Micro-dollars approved.
    /// @param deadline Unix seconds until which the signature counts.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice A taker that buys owes the premium and the fees to this contract; one that writes owes the collateral to the core.
    /// It pays by one of these. Allowance: an allowance that exists. Permit: an approval of the spender that it signed (EIP-2612).
    /// Authorization: a signed transfer to this contract of exactly the sum due (EIP-3009, where the stablecoin has it). Permit2: a
    /// signed transfer to this contract of at least the sum due (SignatureTransfer of Permit2, which the taker has approved).
    enum PaymentMethod {
        Allowance,
        Permit,
        Authorization,
        Permit2
    }

    /// @notice A payment is how the taker pays for one fill. With `Allowance` only the method counts.
    /// @param method One of the four methods.
    /// @param value Micro-dollars signed for.
    /// @param nonce Nonce of an Authorization (as bytes32) or of Permit2; the stablecoin counts the nonces of permits.
    /// @param deadline Unix seconds until which the signature counts.
    /// @param signature 65 bytes (r, s, v) of the taker's key; with Permit2 also a contract's own (ERC-1271).
    struct Payment {
        PaymentMethod method;
        uint256 value;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    /// @notice A taker authorizes anyone to fill its order; the EIP-712 domain is that of `Order`.
    /// @param orderHash `hashOrder` of the order.
    /// @param maxFee Largest fee that the taker pays beside the order, in micro-dollars.
    /// @param feeRecipient Account that gets the fee, no matter who submits.
    /// @param deadline Last second at which the authorization counts.
    /// @param partner Account that gets a share of the premium, such as the operator of the page that made the trade.
    /// @param partnerBps Hundredths of a percent of the premium, at most 500; zero for no partner.
    struct FillAuthorization {
        bytes32 orderHash;
        uint256 maxFee;
        address feeRecipient;
        uint256 deadline;
        address partner;
        uint16 partnerBps;
    }

    /// @notice `checkOrder` returns the first fault in this sequence. The maker's funds come before the signature, so that an
    /// unsigned order can be checked: `SignatureInvalid` then means that nothing before it is wrong.
    enum OrderStatus {
        Fillable,
        Expired,
        AmountZero,
        SelfTrade,
        NonceUsed,
        SeriesUnknown,
        SeriesSettled,
        SeriesExpired,
        SeriesHalted,
        AmountTooLarge,
        PremiumAboveCollateral,
        MakerBalanceLow,
        MakerAllowanceLow,
        SignatureInvalid,
        TakerBalanceLow,
        TakerAllowanceLow
    }

    /// @notice An order was filled. The core's `OptionsWritten` says how many options were written for it, and its
    /// `TransferSingle` from seller to buyer how many came from the seller's inventory.
    /// @param maker Maker of the order.
    /// @param taker Taker of the order.
    /// @param seriesId Series of the core.
    /// @param optionAmount Whole options.
    /// @param premiumAmount Micro-dollars for the whole amount.
    /// @param makerSelling Whether the maker sold.
    /// @param nonce Nonce of the maker that the fill used.
    event OrderFilled(
        address indexed maker,
        address indexed taker,
        uint256 indexed seriesId,
        uint256 optionAmount,
        uint256 premiumAmount,
        bool makerSelling,
        uint256 nonce
    );
    /// @notice A maker made one of its unused nonces unusable.
    /// @param maker Maker that cancelled.
    /// @param nonce Nonce that is now used.
    event NonceCancelled(address indexed maker, uint256 nonce);
    /// @notice A maker made nonces of one storage word unusable.
    /// @param maker Maker that cancelled.
    /// @param wordPos Number of the word.
    /// @param mask One bit for each nonce `wordPos` x 256 + bit that was unused until now.
    event NoncesCancelled(address indexed maker, uint256 wordPos, uint256 mask);

    /// @notice A maker authorized a key to sign its orders.
    /// @param maker Maker that authorized.
    /// @param signer Key that may sign.
    /// @param until Last second of the authorization, unless it is revoked before.
    event SignerAuthorized(address indexed maker, address indexed signer, uint256 until);
    /// @notice A maker revoked a key; orders that the key signed can no longer be filled.
    /// @param maker Maker that revoked.
    /// @param signer Key that was revoked.
    event SignerRevoked(address indexed maker, address indexed signer);
    /// @notice A maker revoked all keys that it had authorized.
    /// @param maker Maker that revoked.
    /// @param epoch Number of the epoch that began; keys of earlier epochs no longer count.
    event AllSignersRevoked(address indexed maker, uint256 epoch);

    /// @notice The core was deployed for another settlement contract.
    /// @param core Core that was given.
    /// @param settlement Settlement contract of that core.
    error CoreDoesNotPointBack(address core, address settlement);
    /// @notice Only the order's taker can fill it.
    /// @param caller Account that called.
    /// @param taker Taker of the order.
    error NotTaker(address caller, address taker);
    /// @notice The order's last second has passed.
    /// @param validUntil Last second at which it could be filled.
    /// @param timestamp Time of the block.
    error OrderExpired(uint256 validUntil, uint256 timestamp);
    /// @notice The amount must not be zero.
    error AmountZero();
    /// @notice A maker cannot be its own taker.
    /// @param account Account on both sides.
    error SelfTrade(address account);
    /// @notice Neither the maker's key, nor its ERC-1271 check, nor a key that it authorized signed this digest.
    /// @param maker Maker of the order.
    /// @param digest Digest of the order.
    error SignatureInvalid(address maker, bytes32 digest);
    /// @notice The nonce was filled or cancelled before.
    /// @param maker Maker of the order.
    /// @param nonce Nonce of the order.
    error NonceUsed(address maker, uint256 nonce);
    /// @notice No option is worth more than its collateral.
    /// @param premiumAmount Premium of the order, in micro-dollars.
    /// @param collateral Collateral of its options, in micro-dollars.
    error PremiumAboveCollateral(uint256 premiumAmount, uint256 collateral);
    /// @notice No more options come from inventory than are sold.
    /// @param fromInventory Options that were named.
    /// @param optionAmount Options of the order.
    error InventoryAboveAmount(uint256 fromInventory, uint256 optionAmount);
    /// @notice The taker closes no more options by a fill than it buys by it.
    /// @param closeAfter Options that were named.
    /// @param bought Options that the taker buys.
    error CloseAboveBought(uint256 closeAfter, uint256 bought);
    /// @notice A batch holds at least one order.
    error BatchEmpty();
    /// @notice A batch holds one signature for each order.
    /// @param orders Number of orders.
    /// @param signatures Number of signatures.
    error BatchLengthMismatch(uint256 orders, uint256 signatures);
    /// @notice Only this contract calls this.
    /// @param caller Account that called.
    error NotSelf(address caller);
    /// @notice The call has too little gas left for the share of the next order.
    /// @param gasLeft Gas left.
    /// @param gasNeeded Gas needed.
    error GasTooLow(uint256 gasLeft, uint256 gasNeeded);
    /// @notice A range of nonces must not end before it starts.
    /// @param first First nonce.
    /// @param last Last nonce.
    error NonceRangeEmpty(uint256 first, uint256 last);

    /// @notice An authorized signer must be neither the zero address nor the maker itself.
    /// @param signer Account that was given.
    error SignerInvalid(address signer);
    /// @notice An authorization ends after now and at most 366 days ahead.
    /// @param until Last second that was given.
    /// @param timestamp Time of the block.
    error AuthorizationOutOfRange(uint256 until, uint256 timestamp);
    /// @notice The last second of the taker's authorization has passed.
    /// @param deadline Last second at which it counted.
    /// @param timestamp Time of the block.
    error FillAuthorizationExpired(uint256 deadline, uint256 timestamp);
    /// @notice The taker authorized the fill of another order.
    /// @param orderHash Hash of the order that was given.
    /// @param authorized Hash of the order that the taker authorized.
    error FillAuthorizationMismatch(bytes32 orderHash, bytes32 authorized);
    /// @notice Neither the taker's key nor, for a contract, its ERC-1271 check signed this digest.
    /// @param taker Taker of the order.
    /// @param digest Digest of the authorization.
    error FillAuthorizationInvalid(address taker, bytes32 digest);
    /// @notice The fee is more than the taker authorized.
    /// @param fee Fee that was given, in micro-dollars.
    /// @param maxFee Largest fee that the taker authorized.
    error FeeAboveMax(uint256 fee, uint256 maxFee);
    /// @notice A taker that writes pays all fees out of the premium, so that they cannot be more.
    /// @param fee All fees of the fill, in micro-dollars.
    /// @param premiumAmount Premium of the order.
    error FeeAbovePremium(uint256 fee, uint256 premiumAmount);
    /// @notice A partner takes at most 5% of the premium.
    /// @param partnerBps Share that was given, in hundredths of a percent.
    /// @param maxBps Largest share.
    error PartnerFeeAboveMax(uint256 partnerBps, uint256 maxBps);
    /// @notice The zero address, the core and this contract take no partner's fee: it would be lost.
    /// @param partner Account that was given.
    error PartnerInvalid(address partner);
    /// @notice A signed transfer moves exactly the sum that was signed, which is not the sum due.
    /// @param value Micro-dollars signed for.
    /// @param due Micro-dollars due.
    error PaymentMismatch(uint256 value, uint256 due);

    /// @notice The core locks collateral and mints options.
    /// @return Address of the core.
    function core() external view returns (address);

    /// @notice The stablecoin is that of the core.
    /// @return Address of the token.
    function stablecoin() external view returns (address);

    /// @notice Fills a signed order: pays the premium, locks the collateral, mints the options. Order's taker only.
    /// The buyer has approved this contract for the premium, and the writer has approved the core for the collateral.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    function fill(Order calldata order, bytes calldata makerSignature) external;

    /// @notice Fills as `fill` does, with the taker's approval in the same transaction. A permit that was already used
    /// (front-run) or is refused is ignored: the existing allowance then decides.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param permit Permit that the taker signed.
    function fillWithPermit(Order calldata order, bytes calldata makerSignature, Permit calldata permit) external;

    /// @notice Fills as `fill` does; the taker chooses how it pays, and pays a partner as `fillWithPartnerFee` does.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param payment Payment by the taker; one that buys owes the partner's fee, too.
    /// @param partner Account that gets a share of the premium.
    /// @param partnerBps Hundredths of a percent, at most 500; zero for no partner.
    function fillWithPayment(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        address partner,
        uint16 partnerBps
    ) external;

    /// @notice Fills as `fill` does, and pays a share of the premium, rounded down, to a partner that the taker names, such as the
    /// operator of a page. A taker that buys pays it on top of the premium, so that it approves this contract for both; one that
    /// writes pays it out of the premium. The maker pays or gets the premium of its order and no more.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param partner Account that gets the share; neither the zero address nor one of the two contracts.
    /// @param partnerBps Hundredths of a percent, at most 500; zero for no partner.
    function fillWithPartnerFee(Order calldata order, bytes calldata makerSignature, address partner, uint16 partnerBps)
        external;

    /// @notice Fills an order for its taker, who has authorized that. Anyone, who pays for the gas.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param payment Payment by the taker.
    /// @param authorization Authorization by the taker.
    /// @param takerSignature Signature of the taker, over `hashFillAuthorization`.
    /// @param fee Micro-dollars for `feeRecipient`, at most `maxFee`. A taker that buys pays it on top of the premium, one that
    /// writes pays it out of the premium.
    function fillFor(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        FillAuthorization calldata authorization,
        bytes calldata takerSignature,
        uint256 fee
    ) external;

    /// @notice Fills orders of the caller in sequence, all or none.
    /// @param orders Orders that the makers signed.
    /// @param makerSignatures One signature for each.
    function fillBatch(Order[] calldata orders, bytes[] calldata makerSignatures) external;

    /// @notice Fills those orders of the caller that can be filled, in sequence. Each has at most 600,000 gas, so that no maker
    /// can use up the gas of the others; with less than that left the call reverts, since an order would then fail by gas.
    /// @param orders Orders that the makers signed.
    /// @param makerSignatures One signature for each.
    /// @return filled Whether each order was filled.
    function fillMany(Order[] calldata orders, bytes[] calldata makerSignatures) external returns (bool[] memory filled);

    /// @notice Fills one order of `fillMany`. This contract only.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param taker Caller of `fillMany`.
    function fillOne(Order calldata order, bytes calldata makerSignature, address taker) external;

    /// @notice Fills as `fill` does; the seller delivers options that it holds and writes only the rest, and the taker closes
    /// options that it had written. The seller has approved this contract for its options (ERC-1155 `setApprovalForAll`).
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @param fromInventory Options that the seller delivers from its inventory.
    /// @param closeAfter Options that the taker buys and burns against as many that it has written; their collateral is paid to
    /// the taker. 0 where the taker sells.
    /// @param partner Account that gets a share of the premium, as by `fillWithPartnerFee`.
    /// @param partnerBps Hundredths of a percent, at most 500; zero for no partner.
    function fillFromInventory(
        Order calldata order,
        bytes calldata makerSignature,
        uint256 fromInventory,
        uint256 closeAfter,
        address partner,
        uint16 partnerBps
    ) external;

    /// @notice Makes one nonce of the caller unusable, also that of an order that is confirmed and not mined yet.
    /// @param nonce Nonce to cancel.
    function cancelNonce(uint256 nonce) external;

    /// @notice Makes the nonces `wordPos` x 256 + bit of the caller unusable, for each bit of `mask`; used ones stay used.
    /// @param wordPos Number of the storage word.
    /// @param mask Bits to set.
    function cancelNonces(uint256 wordPos, uint256 mask) external;

    /// @notice Makes the nonces `first` to `last` of the caller unusable, both included; 256 of them share a storage word.
    /// @param first First nonce to cancel.
    /// @param last Last nonce to cancel.
    function cancelNonceRange(uint256 first, uint256 last) external;

    /// @notice Lets a key sign orders for the caller, and nothing else. It can sign any order, within the caller's approvals.
    /// @param signer Key to authorize.
    /// @param until Last second at which an order that it signed can be filled, at most 366 days ahead; it replaces an earlier one.
    function authorizeSigner(address signer, uint256 until) external;

    /// @notice Revokes a key at once, also for orders that it signed and that are not filled yet.
    /// @param signer Key to revoke.
    function revokeSigner(address signer) external;

    /// @notice Revokes every key that the caller has authorized, at once.
    function revokeAllSigners() external;

    /// @notice The authorizations of a maker count in one epoch.
    /// @param maker Maker that authorizes.
    /// @return Number of times that it revoked all.
    function signerEpoch(address maker) external view returns (uint256);

    /// @notice A maker authorizes a key until this second.
    /// @param maker Maker that authorized.
    /// @param signer Key.
    /// @return until Last second at which orders that the key signed can be filled; 0 for never.
    function signerUntil(address maker, address signer) external view returns (uint256 until);

    /// @notice A signature counts for an order's maker until this second.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @return until 2^256 - 1 for the maker's own signature, `signerUntil` for that of an authorized key, 0 for any other.
    function signedUntil(Order calldata order, bytes calldata makerSignature) external view returns (uint256 until);

    /// @notice A nonce is used when it was filled or cancelled.
    /// @param maker Maker of the nonce.
    /// @param nonce Nonce.
    /// @return Whether it is used.
    function isNonceUsed(address maker, uint256 nonce) external view returns (bool);

    /// @notice The maker signs this EIP-712 digest.
    /// @param order Order to sign.
    /// @return digest Digest to sign.
    function hashOrder(Order calldata order) external view returns (bytes32 digest);

    /// @notice The taker signs this EIP-712 digest for `fillFor`.
    /// @param authorization Authorization to sign.
    /// @return digest Digest to sign.
    function hashFillAuthorization(FillAuthorization calldata authorization) external view returns (bytes32 digest);

    /// @notice Checks without reverting what `fill` by the order's taker would check now. Funds are judged as by the relay: the
    /// writer must hold the whole collateral, although the premium that it receives could pay for a part. A receiver's
    /// ERC-1155 hook is not called.
    /// @param order Order that the maker signed.
    /// @param makerSignature Signature for the maker, over `hashOrder`.
    /// @return status The first fault, or `Fillable`.
    /// @return makerShortfall Micro-dollars that the maker lacks, by the lesser of balance and allowance.
    /// @return takerShortfall Micro-dollars that the taker lacks, by the lesser of balance and allowance.
    /// @return spender Account that the taker approves.
    function checkOrder(Order calldata order, bytes calldata makerSignature)
        external
        view
        returns (OrderStatus status, uint256 makerShortfall, uint256 takerShortfall, address spender);
}
