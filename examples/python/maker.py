"""Quotes every request at less than the option would pay now, and signs what that wins, until Ctrl-C.

Beside a running sandbox (rfqctl up):  python3 examples/python/maker.py [.rfqctl]
It needs python3-websockets of Debian (or: pip install websockets). A wallet of your own approves with `rfqctl maker approve`.
"""
import asyncio, http.client, json, sys, threading, time, urllib.error, urllib.request
import websockets
from signing import address_of, keccak256, sign, struct_hash, word

SANDBOX = json.load(open((sys.argv[1] if len(sys.argv) > 1 else ".rfqctl") + "/sandbox.json"))
URL, MAKER = SANDBOX["url"], SANDBOX["makers"][-1]
KEY = int(MAKER["privateKey"], 16)
# The contract that you trust, never the one that a message names.
DOMAIN = {"name": "ServiceRFQSettlement", "version": "1", "chainId": SANDBOX["chainId"],
          "verifyingContract": SANDBOX["settlementAddress"].lower()}
DOMAIN_FIELDS = [("name", "string"), ("version", "string"), ("chainId", "uint256"), ("verifyingContract", "address")]
ORDER_FIELDS = [("maker", "address"), ("seriesId", "uint256"), ("optionAmount", "uint256"), ("premiumAmount", "uint256"),
                ("makerSelling", "bool"), ("taker", "address"), ("validUntil", "uint256"), ("nonce", "uint256")]
offers = {}  # Never forgotten here; yours would forget what has ended.

def call(path, body=None, headers={}):
    headers = {"X-API-Key": MAKER["apiKey"], "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=60)

def attempt(path, body):
    try:
        call(path, body).close()
    except urllib.error.HTTPError as refusal:
        print(path, json.load(refusal)["code"], flush=True)

PRICES = {market["conditionId"]: market["yesPrice"] for market in json.load(call("/v1/markets"))["markets"]}

def quote(request_id, params):
    option, buys = params["option"], params["trade"]["side"] == "buy"
    strike, yes = option["strikeBps"] * 100, round((params["market"].get("yesPrice") or PRICES.get(params["market"]["conditionId"]) or 0.5) * 1_000_000)
    most, pays = (1_000_000 - strike, yes - strike) if option["optionType"] == "call" else (strike, strike - yes)
    # This is where a model goes: nine tenths of what the option would pay now wins when a taker buys, and loses money.
    price = max(pays * 9 // 10, most // 1_000)
    size = 100_000 if buys else params["trade"]["size"]
    terms = [params["market"]["conditionId"], params["market"]["yesTokenId"], option["strikeBps"],
             option["expiryMs"] // 1000, ["call", "put"].index(option["optionType"])]
    offers[request_id] = {"seriesId": str(int.from_bytes(keccak256(b"".join(map(word, terms))), "big")), "price": price,
                          "size": size, "buys": buys, "taker": params["wallet"], "expiry": option["expiryMs"] // 1000}
    print("quote_request", request_id, flush=True)
    attempt("/v1/mm/quotes", {"requestId": request_id, "quote": {"maker": address_of(KEY), "price": price / 1e6,
                              "size": size, "side": params["trade"]["side"]}})

def chain_time():
    """Of your node, never of the relay: that of its next block where a sandbox moved its chain ahead of the clock, in Unix seconds."""
    ask = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": ["pending", False]}
    try:
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(SANDBOX["rpcUrl"], json.dumps(ask).encode(), headers), timeout=2) as answer:
            return max(time.time(), int(json.load(answer)["result"]["timestamp"], 16))
    except (OSError, ValueError, LookupError, TypeError):
        return time.time()  # Without a node the clock's: at worst an order of a moved chain is declined.

def is_ours(order, domain, offer):
    amount, premium = int(order["optionAmount"]), int(order["premiumAmount"])
    worth, buys, taker = offer["price"] * amount, offer["buys"], order["taker"].lower()
    return ({**domain, "verifyingContract": domain["verifyingContract"].lower()} == DOMAIN
            and order["maker"].lower() == address_of(KEY) and order["seriesId"] == offer["seriesId"]
            and int(taker, 16) != 0 and taker == (offer["taker"] or taker).lower() and order["makerSelling"] is buys
            and 0 < amount <= offer["size"] and (premium >= worth if buys else premium <= worth)
            and order["validUntil"] <= min(offer["expiry"], chain_time() + 300))

def hear():
    last_id = {}
    while True:
        try:
            with call("/v1/mm/quote-requests/stream", headers=last_id) as stream:
                event = {}
                for line in stream:
                    name, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if name:
                        event[name] = value
                    elif not value:  # A blank line ends an event; a line that starts with a colon is a ping.
                        last_id = {"Last-Event-ID": event["id"]} if "id" in event else last_id
                        if event.get("event") == "quote_request":
                            request = json.loads(event["data"])
                            quote(request["requestId"], request["params"])
                        event = {}
        except (OSError, http.client.HTTPException) as fault:
            print("the stream was cut:", fault, flush=True)
        time.sleep(1)

async def answer():
    async for socket in websockets.connect(URL.replace("http", "ws", 1) + "/maker/v1/ws"):
        try:
            await socket.send(json.dumps({"type": "auth", "apiKey": MAKER["apiKey"]}))
            async for text in socket:
                message = json.loads(text)
                print(message["type"], flush=True)
                if message["type"] != "quote:accepted":
                    continue
                order, path = message["order"], f"/v1/mm/quotes/{message['quoteId']}/"
                offer = offers.get(message["requestId"])
                if offer is None or not await asyncio.to_thread(is_ours, order, message["domain"], offer):
                    await asyncio.to_thread(attempt, path + "decline", {"reason": "not what was quoted"})
                    continue
                digest = keccak256(b"\x19\x01" + struct_hash("EIP712Domain", DOMAIN_FIELDS, DOMAIN)
                                   + struct_hash("Order", ORDER_FIELDS, order))
                await asyncio.to_thread(attempt, path + "confirm", {"signature": sign(digest, KEY)})
        except websockets.ConnectionClosed as closed:
            if closed.code == 4001:
                sys.exit("the key is refused")

threading.Thread(target=hear, daemon=True).start()
asyncio.run(answer())
