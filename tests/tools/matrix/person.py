"""A person with an encrypting Matrix client: person.py

Each line of standard input is an order, {"do": what, ...}, and gets one line of JSON: its answer, or {"error": text} with
"status" and "errcode" where the server refused. Orders are done one after the other; events are collected meanwhile. It ends
with its standard input. `ORDERS` below lists what can be ordered; the first is `login`.

Where an order names an "event", "thread", "reply" or "edit", it is an event id; ids are never encoded by whoever gives orders.
"""

import asyncio
import base64
import hashlib
import json
import logging
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nio import AsyncClient
from nio.crypto import attachments

import contents
import keys
import verification
from client import Client, Entry, Json, Refused, accepted

ENCRYPTION: Json = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}

PATIENCE = 60.0  # seconds until a wait gives up, unless its order says otherwise


class Person:
    """Whoever reads and writes. Every public method is an order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._client: Client | None = None
        self._earlier: Client | None = None
        self._verification: verification.Verification | None = None

    @property
    def _c(self) -> Client:
        if self._client is None:
            raise RuntimeError("nobody is logged in")
        return self._client

    async def login(self, order: Json) -> Json:
        """{"url", "account"}: an account as it was made, or {"user_id", "password"} for a new device. A second login takes
        the place of the first; of the same account and device, it goes on where that stopped."""
        account = order["account"]
        await self.logout({})
        if "access_token" not in account:
            login = AsyncClient(order["url"], account["user_id"])
            made = accepted(await login.login(account["password"]))
            await login.close()
            account = account | {"device_id": made.device_id, "access_token": made.access_token}
        self._client = await Client.start(order["url"], account, self._folder, self._earlier)
        return account

    async def logout(self, _: Json) -> Json:
        """Stops the client; the token stays valid."""
        client, self._client = self._client, None
        if client:
            await client.stop()
            self._earlier = client
        return {}

    async def create(self, order: Json) -> Json:
        """{"version"?, "encrypted"?, "invite"?, "direct"?, "name"?, "levels"?} gives {"room"}."""
        wanted: Json = {"preset": "private_chat", "invite": order.get("invite", []), "is_direct": order.get("direct", False)}
        wanted["initial_state"] = [ENCRYPTION] if order.get("encrypted") else []
        for key, name in (("version", "room_version"), ("name", "name"), ("levels", "power_level_content_override")):
            if key in order:
                wanted[name] = order[key]
        room = (await self._c.api("POST", "/_matrix/client/v3/createRoom", wanted))["room_id"]
        await self._sees(room, bool(order.get("encrypted")))
        return {"room": room}

    async def _sees(self, room: str, encrypted: bool) -> None:
        """nio would write in clear into a room of whose encryption it has not heard yet."""
        rooms = self._c.nio.rooms
        await self._c.until(lambda: room in rooms and (rooms[room].encrypted or not encrypted), PATIENCE)

    async def encrypt(self, order: Json) -> Json:
        """{"room"}: switches encryption on."""
        await self._state(order["room"], "m.room.encryption", ENCRYPTION["content"])
        await self._sees(order["room"], True)
        return {}

    async def _state(self, room: str, kind: str, content: Json) -> None:
        await self._c.api("PUT", f"/_matrix/client/v3/rooms/{quote(room, safe='')}/state/{kind}/", content)

    async def upgrade(self, order: Json) -> Json:
        """{"room", "version"} gives the new {"room"}; invites nobody."""
        made = await self._c.room_call(order["room"], "upgrade", {"new_version": order["version"]})
        await self._sees(made["replacement_room"], self._c.nio.rooms[order["room"]].encrypted)
        return {"room": made["replacement_room"]}

    async def join(self, order: Json) -> Json:
        """{"room"}"""
        await self._c.room_call(order["room"], "join", {})
        await self._c.until(lambda: order["room"] in self._c.nio.rooms, PATIENCE)
        return {}

    async def member(self, order: Json) -> Json:
        """{"room", "act": "invite" | "kick" | "ban" | "unban" | "leave", "user"?, "reason"?}"""
        body = {"user_id": order.get("user"), "reason": order.get("reason")}
        return await self._c.room_call(order["room"], order["act"], {key: value for key, value in body.items() if value})

    async def level(self, order: Json) -> Json:
        """{"room", "user", "level"}: e.g. -1 mutes, and 0 lets speak again."""
        path = f"/_matrix/client/v3/rooms/{quote(order['room'], safe='')}/state/m.room.power_levels/"
        levels = await self._c.api("GET", path)
        levels.setdefault("users", {})[order["user"]] = order["level"]
        return await self._c.api("PUT", path, levels)

    async def say(self, order: Json) -> Json:
        """{"room"} and what `contents.message` takes, gives {"event_id"}; "html", "thread", "reply" and "edit" among it."""
        return await self._send(order["room"], "m.room.message", contents.message(order))

    async def send(self, order: Json) -> Json:
        """{"room", "type"?, "content"}: any event, also one that no client would send."""
        return await self._send(order["room"], order.get("type", "m.room.message"), order["content"])

    async def react(self, order: Json) -> Json:
        """{"room", "event", "key"}; never encrypted, as with every client."""
        relates = {"rel_type": "m.annotation", "event_id": order["event"], "key": order["key"]}
        return await self._send(order["room"], "m.reaction", {"m.relates_to": relates})

    async def _send(self, room: str, kind: str, content: Json) -> Json:
        await self._c.knows_devices(room)
        sent = accepted(await self._c.nio.room_send(room, kind, content, ignore_unverified_devices=True))
        return {"event_id": sent.event_id}

    async def file(self, order: Json) -> Json:
        """{"room", "kind": "image" | "file" | "audio" | "voice" | "video", "name", "mime", "base64", "thread"?, "reply"?}"""
        data = base64.b64decode(order["base64"])
        encrypted = self._c.nio.rooms[order["room"]].encrypted
        uploaded, secret = await self._c.nio.upload(
            lambda *_: pieces(data), order["mime"], order["name"], encrypt=encrypted, filesize=len(data)
        )
        place = accepted(uploaded).content_uri
        content = contents.attachment(order["kind"], order["name"], order["mime"], len(data)) | contents.relation(order)
        content |= {"file": {"url": place, **secret}} if encrypted else {"url": place}
        return await self._send(order["room"], "m.room.message", content) | {"url": place}

    async def fetch(self, order: Json) -> Json:
        """{"event"} gives {"base64", "sha256", "size"} of the file that came with it, decrypted and checked."""
        content = self._came(order["event"]).told()["content"]
        secret = content.get("file")
        loaded = accepted(await self._c.nio.download(mxc=secret["url"] if secret else content["url"]))
        data = loaded.body
        if secret:
            data = attachments.decrypt_attachment(data, secret["key"]["k"], secret["hashes"]["sha256"], secret["iv"])
        digest = hashlib.sha256(data).hexdigest()
        return {"base64": base64.b64encode(data).decode(), "sha256": digest, "size": len(data)}

    def _came(self, event: str) -> Entry:
        found = next((entry for entry in self._c.log if entry.event.event_id == event), None)
        if found is None:
            raise ValueError(f"no event {event} has come")
        return found

    async def redact(self, order: Json) -> Json:
        """{"room", "event", "reason"?}"""
        sent = accepted(await self._c.nio.room_redact(order["room"], order["event"], order.get("reason")))
        return {"event_id": sent.event_id}

    async def typing(self, order: Json) -> Json:
        """{"room", "on"}"""
        accepted(await self._c.nio.room_typing(order["room"], order["on"]))
        return {}

    async def wait(self, order: Json) -> Json:
        """{"where", "text"?, "after"?, "seconds"?} gives the first event that fits. "where" is a part of what is told of an
        event, e.g. {"room", "sender", "content": {"m.relates_to": {"event_id"}}}; "text" stands in its (new) body; "after" is
        the "number" of an event that came before."""
        found = await self._waited(lambda: self._fitting(order), order)
        return found[0]

    async def seen(self, order: Json) -> Json:
        """As `wait`, but gives {"events"}: all that fit now."""
        return {"events": self._fitting(order)}

    async def shown(self, order: Json) -> Json:
        """{"room", "sender"?} gives {"messages"}, as a client shows them; see `contents.shown`."""
        messages = contents.shown([entry.told() for entry in self._c.log if entry.room == order["room"]])
        return {"messages": [one for one in messages if order.get("sender") in (None, one["sender"])]}

    async def sign(self, order: Json) -> Json:
        """{"room", "typing": user, "on"?} or {"room", "read": event, "user"}, both with "after"?: waits for such a sign, and gives
        its {"number"}, after which the next one may be waited for."""
        first = order.get("after", -1) + 1

        def found() -> Json | None:
            signs = enumerate(self._c.signs[first:], first)
            return next(({"number": number} for number, sign in signs if signed(sign, order)), None)

        return await self._waited(found, order)

    async def invited(self, order: Json) -> Json:
        """{"room"?, "seconds"?} waits for an invitation and gives its {"room"}."""
        rooms = self._c.nio.invited_rooms
        return await self._waited(
            lambda: next(({"room": room} for room in rooms if order.get("room", room) == room), None), order
        )

    async def _waited(self, ready: Any, order: Json) -> Any:
        try:
            return await self._c.until(ready, order.get("seconds", PATIENCE))
        except TimeoutError:
            last = [entry.told() for entry in self._c.log[-6:]]
            raise RuntimeError(f"waited in vain; the last events: {json.dumps(last)}") from None

    def _fitting(self, order: Json) -> list[Json]:
        log = self._c.log[order.get("after", -1) + 1 :]
        told = (entry.told() for entry in log)
        return [event for event in told if fits(event, order.get("where", {})) and says(event, order.get("text", ""))]

    async def call(self, order: Json) -> Json:
        """{"method", "path", "body"?}: any call of the API in this person's name, e.g. for an event as the server has it."""
        return await self._c.api(order["method"], order["path"], order.get("body"))

    async def hold_keys(self, _: Json) -> Json:
        """From now on no room key is sent to anybody: what is said with a new one cannot be read yet."""
        self._c.nio.holds_keys = True
        return {}

    async def release_keys(self, _: Json) -> Json:
        """Sends the keys that were held back, and gives how many: {"sent"}."""
        return {"sent": await self._c.nio.release_keys()}

    async def new_key(self, order: Json) -> Json:
        """{"room"}: the next message there begins a new session, as after some time or after somebody left."""
        self._c.nio.invalidate_outbound_session(order["room"])
        return {}

    async def room_keys(self, order: Json) -> Json:
        """{"room"} gives {"keys"}: every room key that is known, each in the form of an export."""
        known = self._c.nio.olm.inbound_group_store
        keys = [one.export_session(one.first_known_index) for one in known if one.room_id == order["room"]]
        return {"keys": keys}

    async def keys(self, order: Json) -> Json:
        """{"user"}: whose keys they are, and which signatures hold; see `keys.report`."""
        return await keys.report(self._c, order["user"])

    async def cross_sign(self, _: Json) -> Json:
        """Gives this person cross-signing keys and signs the own device, as Element does."""
        return await keys.cross_sign(self._c)

    async def verify(self, order: Json) -> Json:
        """{"user", "device"? | "room"? | "asked"?, "seconds"?}: verification, as far as its {"emoji"}, seven numbers."""
        self._verification = await verification.begin(self._c, order, order.get("seconds", PATIENCE))
        return {"emoji": self._verification.emoji, "device": self._verification.device}

    async def confirm(self, order: Json) -> Json:
        """{"seconds"?}: the emoji are equal; gives the key ids that the other side vouched for, {"verified"}."""
        assert self._verification, "nothing is being verified"
        return await self._verification.confirm(order.get("seconds", PATIENCE))


ORDERS = [name for name in vars(Person) if not name.startswith("_")]


async def pieces(data: bytes) -> AsyncIterator[bytes]:
    yield data


def fits(value: Any, wanted: Any) -> bool:
    """Whether all that is wanted is in it; lists must be equal."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(key in value and fits(value[key], part) for key, part in wanted.items())
    return bool(value == wanted)


def says(event: Json, text: str) -> bool:
    content = event["content"]
    body = content.get("m.new_content", content).get("body")
    return not text or (isinstance(body, str) and text in body)


def signed(sign: Json, order: Json) -> bool:
    if sign["room"] != order["room"]:
        return False
    if "typing" in order:
        return "typing" in sign and (order["typing"] in sign["typing"]) == order.get("on", True)
    return {"event_id": order["read"], "user": order["user"]} in sign.get("read", [])


async def obey(person: Person, order: Json) -> Json:
    if order["do"] not in ORDERS:
        raise ValueError(f"no such order: {order['do']}")
    return await getattr(person, order["do"])(order)


async def main() -> None:
    logging.getLogger("nio").setLevel(logging.ERROR)  # it warns of every server that a test stops
    reader = asyncio.StreamReader(limit=2**27)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="tertulia-person-", dir=memory if memory.is_dir() else None))
    person = Person(folder)
    try:
        while line := await reader.readline():
            try:
                answer = await obey(person, json.loads(line))
            except Refused as refusal:
                answer = refusal.told
            except Exception as error:  # whatever it is, whoever gave the order wants to know
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), flush=True)
    finally:
        await person.logout({})
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
