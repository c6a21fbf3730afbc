// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The counter: turns a maker's signed order into a trade, all or nothing
/// @notice Holds no funds between calls. Premiums pass from buyer to seller directly, collateral from writer to core; what a taker
/// pays by a signed transfer passes through within one call.
interface IServiceRFQSettlement {
    /// @notice A maker's signed offer to one taker, EIP-712 domain `ServiceRFQSettlement`, version `1`.
    /// @param maker Wallet whose signature it carries: a key's (ECDSA), a contract's (ERC-1271) or that of a key it authorised.
    /// @param seriesId Series of the core, also the ERC-1155 id.
    /// @param optionAmount Whole options.
    /// @param premiumAmount Micro-dollars for the whole amount, at most the collateral.
    /// @param makerSelling true: the maker writes and the taker buys; false: the taker writes and the maker buys.
    /// @param taker The only wallet that can fill it.
    /// @param validUntil Last second at which it can be filled.
    /// @param nonce Per maker, used once. Numbers that differ only in the low 8 bits share a storage word.
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

    /// @notice An EIP-2612 approval by the taker to the one spender its side needs: this contract when it buys, the
    /// core when it writes.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice How a taker pays what is due: the premium and the fee to this contract when it buys, the collateral to the core
    /// when it writes.
    /// Allowance: by an allowance that is there. Permit: by one that it has signed (EIP-2612) for whom it is due to. Authorization: by
    /// a transfer to this contract that it has signed, of exactly what is due (EIP-3009, where the stablecoin has it). Permit2: by a
    /// transfer of at least that by this contract (SignatureTransfer of Permit2, which the taker has approved).
    enum PaymentMethod {
        Allowance,
        Permit,
        Authorization,
        Permit2
    }

    /// @notice A taker's payment. With `Allowance` only the method counts.
    /// @param value Micro-dollars that were signed for.
    /// @param nonce Of an Authorization (as bytes32) or of Permit2; a Permit's is the stablecoin's count.
    /// @param deadline Unix seconds until which the signature counts.
    /// @param signature 65 bytes (r, s, v) of the taker's key; with Permit2 also a contract's own (ERC-1271).
    struct Payment {
        PaymentMethod method;
        uint256 value;
        uint256 nonce;
        uint256 deadline;
        bytes signature;
    }

    /// @notice A taker's word that anyone may fill its order, EIP-712 domain as of `Order`.
    /// @param orderHash `hashOrder` of the one order.
    /// @param maxFee Micro-dollars, the most that the fill may cost the taker beside the order.
    /// @param feeRecipient Who is paid, whoever submits.
    /// @param deadline Last second at which it counts.
    struct FillAuthorization {
        bytes32 orderHash;
        uint256 maxFee;
        address feeRecipient;
        uint256 deadline;
    }

    /// @notice What `checkOrder` found, first fault first. The maker's funds come before the signature, so that an
    /// order not yet signed can be asked about: `SignatureInvalid` then means that all before it is in order.
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

    /// @notice An order was traded: the core's `OptionsWritten` says how many options were written for it, its `TransferSingle`
    /// from seller to buyer how many came from the seller's inventory.
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
    event NonceCancelled(address indexed maker, uint256 nonce);
    /// @notice `mask` holds the nonces `wordPos` x 256 + bit that were unused until now.
    event NoncesCancelled(address indexed maker, uint256 wordPos, uint256 mask);

    /// @notice A key may sign orders for the maker, until (Unix seconds) or until it is revoked.
    event SignerAuthorized(address indexed maker, address indexed signer, uint256 until);
    /// @notice A key signs no more orders for the maker; what it has signed cannot be filled any more.
    event SignerRevoked(address indexed maker, address indexed signer);

    /// @notice The core was deployed for another settlement contract.
    error CoreDoesNotPointBack(address core, address settlement);
    /// @notice Only the order's taker can fill it.
    error NotTaker(address caller, address taker);
    /// @notice The order's last second has passed.
    error OrderExpired(uint256 validUntil, uint256 timestamp);
    /// @notice Nothing is no amount.
    error AmountZero();
    /// @notice A maker is not its own taker.
    error SelfTrade(address account);
    /// @notice Neither the maker's key nor, for a contract, its ERC-1271 check nor a key that the maker authorised signed this digest.
    error SignatureInvalid(address maker, bytes32 digest);
    /// @notice The nonce was filled or cancelled before.
    error NonceUsed(address maker, uint256 nonce);
    /// @notice No option is worth more than its collateral.
    error PremiumAboveCollateral(uint256 premiumAmount, uint256 collateral);
    /// @notice No more options come from inventory than are sold.
    error InventoryAboveAmount(uint256 fromInventory, uint256 optionAmount);
    /// @notice The taker closes no more options by a fill than it buys by it.
    error CloseAboveBought(uint256 closeAfter, uint256 bought);
    /// @notice A batch holds at least one order.
    error BatchEmpty();
    /// @notice A batch holds one signature an order.
    error BatchLengthMismatch(uint256 orders, uint256 signatures);
    /// @notice Only this contract calls this.
    error NotSelf(address caller);
    /// @notice There is not enough gas for the next order to have its share.
    error GasTooLow(uint256 gasLeft, uint256 gasNeeded);
    /// @notice A range of nonces ends where it starts or after it.
    error NonceRangeEmpty(uint256 first, uint256 last);

    /// @notice No one, or the maker itself, is no signer that needs leave.
    error SignerInvalid(address signer);
    /// @notice A signer is authorised until a second that lies after now and at most 366 days ahead.
    error AuthorizationOutOfRange(uint256 until, uint256 timestamp);
    /// @notice The last second of the taker's authorisation has passed.
    error FillAuthorizationExpired(uint256 deadline, uint256 timestamp);
    /// @notice The taker authorised the fill of another order.
    error FillAuthorizationMismatch(bytes32 orderHash, bytes32 authorized);
    /// @notice Neither the taker's key nor, for a contract, its ERC-1271 check signed this digest.
    error FillAuthorizationInvalid(address taker, bytes32 digest);
    /// @notice The fee is more than the taker authorised.
    error FeeAboveMax(uint256 fee, uint256 maxFee);
    /// @notice A taker that writes pays the fee out of the premium.
    error FeeAbovePremium(uint256 fee, uint256 premiumAmount);
    /// @notice A signed transfer moves exactly what was signed, which is not what is due.
    error PaymentMismatch(uint256 value, uint256 due);

    /// @notice The vault that locks collateral and mints options.
    function core() external view returns (address);

    /// @notice The core's stablecoin.
    function stablecoin() external view returns (address);

    /// @notice Trades a signed order: pays the premium, locks the collateral, mints the options. Order's taker only.
    /// Before it the buyer has approved this contract for the premium, the writer the core for the collateral.
    function fill(Order calldata order, bytes calldata makerSignature) external;

    /// @notice `fill` with the taker's approval in the same transaction. A permit that was already used (front-run) or
    /// is otherwise refused is ignored: the fill then stands or falls by the allowance there is.
    function fillWithPermit(Order calldata order, bytes calldata makerSignature, Permit calldata permit) external;

    /// @notice `fill` where the taker pays in a way of its own.
    function fillWithPayment(Order calldata order, bytes calldata makerSignature, Payment calldata payment) external;

    /// @notice Fills an order for its taker, who has signed that it may be. Anyone, who pays for the gas.
    /// @param fee Micro-dollars to the authorisation's recipient, at most its `maxFee`. A taker that buys pays it on top of the
    /// premium, one that writes out of the premium.
    function fillFor(
        Order calldata order,
        bytes calldata makerSignature,
        Payment calldata payment,
        FillAuthorization calldata authorization,
        bytes calldata takerSignature,
        uint256 fee
    ) external;

    /// @notice Fills orders of one taker in turn, all or none.
    function fillBatch(Order[] calldata orders, bytes[] calldata makerSignatures) external;

    /// @notice Fills those orders of the caller that can be filled, in turn. Each has at most 600,000 gas, so that no maker
    /// can use up what the others need; with less than that left the call reverts, since an order would then fail by gas.
    /// @return filled For each order whether it was filled.
    function fillMany(Order[] calldata orders, bytes[] calldata makerSignatures) external returns (bool[] memory filled);

    /// @notice One fill of `fillMany`. This contract only.
    function fillOne(Order calldata order, bytes calldata makerSignature, address taker) external;

    /// @notice `fill`, where the seller passes on options that it holds and writes only the rest, and the taker closes what
    /// it had written. The seller has approved this contract for its options (ERC-1155 `setApprovalForAll`).
    /// @param fromInventory Of the order's options, those that the seller holds and passes on.
    /// @param closeAfter Of the options that the taker buys, those that are burned against as many that it has written; their
    /// collateral is paid to the taker. 0 where the taker sells.
    function fillFromInventory(
        Order calldata order,
        bytes calldata makerSignature,
        uint256 fromInventory,
        uint256 closeAfter
    ) external;

    /// @notice Makes one nonce of the caller unusable, also of an order already confirmed but not yet mined.
    function cancelNonce(uint256 nonce) external;

    /// @notice Makes the nonces `wordPos` x 256 + bit of the caller unusable, for each bit of `mask`; used ones stay used.
    function cancelNonces(uint256 wordPos, uint256 mask) external;

    /// @notice Makes the nonces `first` to `last` of the caller unusable, both included; 256 of them share a storage word.
    function cancelNonceRange(uint256 first, uint256 last) external;

    /// @notice Lets a key sign orders for the caller, and nothing else. It can sign any order, up to what the caller has approved.
    /// @param until Last second at which an order that it signed can be filled, at most 366 days ahead; replaces what was said before.
    function authorizeSigner(address signer, uint256 until) external;

    /// @notice Takes that leave back at once, also for orders that were signed and not filled yet.
    function revokeSigner(address signer) external;

    /// @notice The last second at which orders that `signer` signed for `maker` can be filled; 0 for never.
    function signerUntil(address maker, address signer) external view returns (uint256 until);

    /// @notice The last second at which a signature counts for an order's maker: 2^256 - 1 where it is the maker's own, that of
    /// `signerUntil` where a key made it, 0 where it is nobody's who may.
    function signedUntil(Order calldata order, bytes calldata makerSignature) external view returns (uint256 until);

    /// @notice Whether a maker's nonce was filled or cancelled.
    function isNonceUsed(address maker, uint256 nonce) external view returns (bool);

    /// @notice The EIP-712 digest that the maker signs.
    function hashOrder(Order calldata order) external view returns (bytes32 digest);

    /// @notice The EIP-712 digest that the taker signs for `fillFor`.
    function hashFillAuthorization(FillAuthorization calldata authorization) external view returns (bytes32 digest);

    /// @notice Everything that `fill` would check, in one call and without reverting, by the order's taker, now.
    /// Funds are judged as the relay does: the writer must hold the whole collateral, although the premium it is about
    /// to receive could pay for a part. A receiver's ERC-1155 hook is not tried.
    /// @return status The first fault, or `Fillable`.
    /// @return makerShortfall Micro-dollars that the maker lacks, in balance or in allowance, whichever is less.
    /// @return takerShortfall The same for the taker.
    /// @return spender Whom the taker approves.
    function checkOrder(Order calldata order, bytes calldata makerSignature)
        external
        view
        returns (OrderStatus status, uint256 makerShortfall, uint256 takerShortfall, address spender);
}
