"""Interactive verification by emoji, as current clients do it: request, ready, start, accept, key, key, mac, mac, done.

nio 0.26 has only the older flow, in which its commitment (hexadecimal), its MAC and its emoji are not what the specification
says, so the steps are done here, and vodozemac does the sums.
The person always sends the start; the request may come from either side, by direct messages to devices or in a room.

matrix-sdk, which the bot uses, was seen to take part in all of it, with two surprises: it ignores requests of people whose
devices it has not asked for, so of whoever shares no encrypted room with it; and it cancels a request that comes in the same
second as the end of an earlier one.
"""

import hashlib
import time
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from canonicaljson import encode_canonical_json
from nio import ToDeviceMessage
from unpaddedbase64 import encode_base64
from vodozemac import Curve25519PublicKey, EstablishedSas, Sas

import keys
from client import Client, Json, accepted

KIND = "m.key.verification."
METHODS = ["m.sas.v1"]
HOW: Json = {
    "method": METHODS[0],
    "key_agreement_protocols": ["curve25519-hkdf-sha256"],
    "hashes": ["sha256"],
    "message_authentication_codes": ["hkdf-hmac-sha256.v2"],
    "short_authentication_string": ["emoji", "decimal"],
}


class Way(Protocol):
    """How the steps of one verification travel."""

    name: str

    async def send(self, step: str, content: Json) -> Json:
        """Sends a step, and gives its content as it was sent."""

    def received(self, step: str) -> Json | None:
        """The content of the other side's step, if it came."""


@dataclass
class ByDevice:
    """Directly to a device; "*" are all of a user's, until one of them answers."""

    client: Client
    user: str
    device: str
    name: str

    async def send(self, step: str, content: Json) -> Json:
        content = content | {"transaction_id": self.name}
        accepted(await self.client.nio.to_device(ToDeviceMessage(KIND + step, self.user, self.device, content)))
        return content

    def received(self, step: str) -> Json | None:
        mine = ((event["type"], event["sender"], event["content"]) for event in self.client.to_device)
        return next((c for kind, who, c in mine if (kind, who, c.get("transaction_id")) == (KIND + step, self.user, self.name)), None)


@dataclass
class ByRoom:
    """In a room, below the request."""

    client: Client
    user: str
    room: str
    name: str

    async def send(self, step: str, content: Json) -> Json:
        content = content | {"m.relates_to": {"rel_type": "m.reference", "event_id": self.name}}
        accepted(await self.client.nio.room_send(self.room, KIND + step, content, ignore_unverified_devices=True))
        return content

    def received(self, step: str) -> Json | None:
        below = {"rel_type": "m.reference", "event_id": self.name}
        told = (entry.told() for entry in self.client.log if entry.room == self.room and entry.event.sender == self.user)
        mine = (event["content"] for event in told if event["type"] == KIND + step)
        return next((content for content in mine if content.get("m.relates_to") == below), None)


@dataclass
class Verification:
    """One that has come as far as its emoji."""

    client: Client
    way: Way
    user: str
    device: str
    sums: EstablishedSas
    emoji: list[int]

    async def confirm(self, seconds: float) -> Json:
        """Says that the emoji are equal, and checks what the other side vouches for; gives {"verified": [key ids]}."""
        nio = self.client.nio
        own = {f"ed25519:{nio.device_id}": nio.olm.account.identity_keys["ed25519"]}
        if self.client.cross_signing:
            master = self.client.cross_signing["master"].version
            own[f"ed25519:{master}"] = master
        await self.way.send("mac", self._vouched(own))
        theirs = await step(self.client, self.way, "mac", seconds)
        known = await self._known_keys()
        for name, mac in theirs["mac"].items():
            self.sums.verify_mac(known[name], self._info(True) + name, mac)
        self.sums.verify_mac(",".join(sorted(theirs["mac"])), self._info(True) + "KEY_IDS", theirs["keys"])
        await self.way.send("done", {})
        await step(self.client, self.way, "done", seconds)
        if self.client.cross_signing:
            await keys.trust(self.client, self.user)
        return {"verified": sorted(theirs["mac"])}

    def _vouched(self, own: Json) -> Json:
        info = self._info(False)
        macs = {name: self.sums.calculate_mac(key, info + name) for name, key in own.items()}
        return {"mac": macs, "keys": self.sums.calculate_mac(",".join(sorted(own)), info + "KEY_IDS")}

    def _info(self, theirs: bool) -> str:
        sides = [self.client.nio.user_id + self.client.nio.device_id, self.user + self.device]
        return "MATRIX_KEY_VERIFICATION_MAC" + "".join(reversed(sides) if theirs else sides) + self.way.name

    async def _known_keys(self) -> Json:
        told = await keys.query(self.client, self.user)
        found: Json = dict(told["device_keys"][self.user][self.device]["keys"])
        return found | told.get("master_keys", {}).get(self.user, {}).get("keys", {})


async def begin(client: Client, order: Json, seconds: float) -> Verification:
    """Comes as far as the emoji: {"user"} and, unless it is the other side that asks ("asked"), "device"? or "room"."""
    user = order["user"]
    way = await asked(client, user, seconds) if order.get("asked") else await ask(client, order)
    if isinstance(way, ByDevice) and not order.get("asked"):
        way.device = (await step(client, way, "ready", seconds))["from_device"]
        device = way.device
    elif isinstance(way, ByRoom):
        device = (await step(client, way, "ready", seconds))["from_device"]
    else:
        device = way.device
        await way.send("ready", {"from_device": client.nio.device_id, "methods": METHODS})
    return await exchange(client, way, user, device, seconds)


async def ask(client: Client, order: Json) -> ByDevice | ByRoom:
    content: Json = {"from_device": client.nio.device_id, "methods": METHODS, "timestamp": int(time.time() * 1000)}
    if "room" not in order:
        way = ByDevice(client, order["user"], order.get("device", "*"), uuid4().hex)
        await way.send("request", content)
        return way
    content |= {"msgtype": KIND + "request", "to": order["user"], "body": "may I verify you?"}
    await client.knows_devices(order["room"])
    sent = await client.nio.room_send(order["room"], "m.room.message", content, ignore_unverified_devices=True)
    return ByRoom(client, order["user"], order["room"], accepted(sent).event_id)


async def asked(client: Client, user: str, seconds: float) -> ByDevice:
    def request() -> Any:
        events = client.to_device
        return next((e["content"] for e in events if (e["type"], e["sender"]) == (KIND + "request", user)), None)

    content = await client.until(request, seconds)
    return ByDevice(client, user, content["from_device"], content["transaction_id"])


async def exchange(client: Client, way: Way, user: str, device: str, seconds: float) -> Verification:
    sas = Sas()
    own = sas.public_key.to_base64()
    start = await way.send("start", HOW | {"from_device": client.nio.device_id})
    commitment = (await step(client, way, "accept", seconds))["commitment"]
    await way.send("key", {"key": own})
    theirs = (await step(client, way, "key", seconds))["key"]
    if encode_base64(hashlib.sha256(theirs.encode() + encode_canonical_json(start)).digest()) != commitment:
        raise RuntimeError("the other side's key is not the one that it had committed itself to")
    sums = sas.diffie_hellman(Curve25519PublicKey.from_base64(theirs))
    parts = [client.nio.user_id, client.nio.device_id, own, user, device, theirs, way.name]
    emoji = list(sums.bytes("MATRIX_KEY_VERIFICATION_SAS|" + "|".join(parts)).emoji_indices)
    return Verification(client, way, user, device, sums, emoji)


async def step(client: Client, way: Way, name: str, seconds: float) -> Json:
    """The other side's next step, unless it gives up."""
    content, cancelled = await client.until(
        lambda: (way.received(name), way.received("cancel")) if way.received(name) or way.received("cancel") else None, seconds
    )
    if content is None:
        raise RuntimeError(f"cancelled instead of {name}: {cancelled.get('code')}: {cancelled.get('reason')}")
    return content
