"""One device of a person: matrix-nio with its encryption, a log of all that came, and no gaps in it.

nio's own endless loop neither fills the gap of a limited timeline nor tries again what came before its key; this one does.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nio import (
    AsyncClient,
    AsyncClientConfig,
    EncryptionError,
    ErrorResponse,
    Event,
    MegolmEvent,
    MessageDirection,
    RoomMessagesResponse,
    ShareGroupSessionResponse,
    SyncResponse,
)

Json = dict[str, Any]

# The most that Synapse gives in one sync.
FILTER: Json = {"room": {"timeline": {"limit": 100}, "state": {"lazy_load_members": False}}}


class Refused(Exception):
    """What the server said no with."""

    def __init__(self, status: int | None, code: str | None, error: str | None) -> None:
        super().__init__(error)
        self.told = {"status": status, "errcode": code, "error": error or "refused"}


@dataclass
class Entry:
    """An event as this person's client knows it."""

    number: int
    room: str
    event: Event

    def told(self) -> Json:
        event = self.event
        source = event.source
        kept = {key: source[key] for key in ("type", "state_key", "content", "redacts", "unsigned") if key in source}
        return kept | {
            "number": self.number,
            "room": self.room,
            "event_id": event.event_id,
            "sender": event.sender,
            "encrypted": bool(event.decrypted),
            "undecryptable": isinstance(event, MegolmEvent),
        }


class KeyHolder(AsyncClient):
    """A client that can keep the room keys back which it should send, as a bad network would."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.holds_keys = False
        self._held: list[tuple[Any, ...]] = []

    async def _send(self, response_class: type, *args: Any, **kwargs: Any) -> Any:
        if self.holds_keys and response_class is ShareGroupSessionResponse:
            self._held.append((response_class, *args, kwargs))
            return ShareGroupSessionResponse(*kwargs["response_data"])
        return await super()._send(response_class, *args, **kwargs)

    async def release_keys(self) -> int:
        self.holds_keys = False
        held, self._held = self._held, []
        for *args, kwargs in held:
            await super()._send(*args, **kwargs)
        return len(held)


@dataclass
class Client:
    """A person's device. `log` has the events of all rooms, oldest first."""

    nio: KeyHolder
    log: list[Entry] = field(default_factory=list)
    signs: list[Json] = field(default_factory=list)
    to_device: list[Json] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    broken: str | None = None
    # secret keys of the person's own, if they were made here
    cross_signing: Json = field(default_factory=dict)
    _task: asyncio.Task[None] | None = None
    _known: set[str] = field(default_factory=set)

    @classmethod
    async def start(cls, url: str, account: Json, store: Path, earlier: "Client | None") -> "Client":
        """Syncs for the first time and goes on with that; from where the same device stopped earlier, if it did."""
        # a server that restarts is looked for every second instead of every minute
        config = AsyncClientConfig(encryption_enabled=True, request_timeout=60, max_timeout_retry_wait_time=1)
        nio = KeyHolder(url, account["user_id"], account["device_id"], str(store), config)
        nio.restore_login(account["user_id"], account["device_id"], account["access_token"])
        client = cls(nio)
        if earlier and earlier.nio.device_id == nio.device_id:
            client.log, client._known, client.cross_signing = earlier.log, earlier._known, earlier.cross_signing
            nio.next_batch = earlier.nio.next_batch
        nio.add_to_device_callback(client._heard, None)
        await client._round(timeout=0, full_state=True)
        await client._housekeeping()
        client._task = asyncio.create_task(client._follow())
        return client

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.nio.close()

    async def api(self, method: str, path: str, body: Any = None) -> Json:
        """A call of the client-server API in this person's name."""
        headers = {"Authorization": f"Bearer {self.nio.access_token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        answer = await self.nio.send(method, path, data, headers)
        told = json.loads(await answer.text() or "{}")
        if answer.status >= 400:
            raise Refused(answer.status, told.get("errcode"), told.get("error"))
        return told

    async def room_call(self, room: str, what: str, body: Json) -> Json:
        return await self.api("POST", f"/_matrix/client/v3/rooms/{quote(room, safe='')}/{what}", body)

    async def until(self, ready: Any, seconds: float) -> Any:
        """What `ready` finds, as soon as it finds something."""
        async with asyncio.timeout(seconds), self.changed:
            while not (found := ready()):
                if self.broken:
                    raise RuntimeError(self.broken)
                await self.changed.wait()
            return found

    async def knows_devices(self, room: str) -> None:
        """Asks for the devices of whoever came: nio shares a room's key with those that it knows at that moment."""
        if self.nio.rooms[room].encrypted:
            self.nio.olm.update_tracked_users(self.nio.rooms[room])
            if self.nio.should_query_keys:
                accepted(await self.nio.keys_query())

    async def _follow(self) -> None:
        try:
            while True:
                await self._round(timeout=30000)
                await self._housekeeping()
        except Exception as error:  # told to whoever waits; a loop that is gone would only look like silence
            self.broken = f"the sync loop ended: {type(error).__name__}: {error}"
            async with self.changed:
                self.changed.notify_all()

    async def _round(self, **how: Any) -> None:
        since = self.nio.next_batch
        response: SyncResponse = accepted(await self.nio.sync(sync_filter=FILTER, **how))
        for room, joined in response.rooms.join.items():
            timeline = joined.timeline
            if timeline.limited and since and timeline.prev_batch:
                self._note(room, await self._gap(room, timeline.prev_batch, since))
            self._note(room, timeline.events)
            self.signs += [{"room": room} | told_sign(sign) for sign in joined.ephemeral]
        for room, left in response.rooms.leave.items():
            self._note(room, left.timeline.events)
        self._try_again()
        async with self.changed:
            self.changed.notify_all()

    async def _gap(self, room: str, newest: str, oldest: str) -> list[Event]:
        events: list[Event] = []
        place: str | None = newest
        while place:
            page = await self.nio.room_messages(room, place, oldest, MessageDirection.back, 100)
            page = accepted(page)
            assert isinstance(page, RoomMessagesResponse)
            events += page.chunk
            place = page.end if page.chunk else None
        return events[::-1]

    def _note(self, room: str, events: list[Event]) -> None:
        for event in events:
            # events that nio finds malformed have an id too, except those without any
            if (name := getattr(event, "event_id", None)) and name not in self._known:
                self._known.add(name)
                self.log.append(Entry(len(self.log), room, event))

    def _try_again(self) -> None:
        for entry in self.log:
            if isinstance(entry.event, MegolmEvent):
                try:
                    entry.event = self.nio.decrypt_event(entry.event)
                except EncryptionError:
                    continue

    async def _housekeeping(self) -> None:
        await self.nio.send_to_device_messages()
        if self.nio.should_upload_keys:
            accepted(await self.nio.keys_upload())
        if self.nio.should_query_keys:
            accepted(await self.nio.keys_query())
        if self.nio.should_claim_keys:
            accepted(await self.nio.keys_claim(self.nio.get_users_for_key_claiming()))

    async def _heard(self, event: Any) -> None:
        self.to_device.append(event.source)


def accepted(response: Any) -> Any:
    """The response, unless it is a refusal: nio gives those back like any other."""
    if isinstance(response, ErrorResponse):
        transport = response.transport_response
        status = getattr(transport, "status", None)
        raise Refused(status, response.status_code, response.message)
    return response


def told_sign(sign: Any) -> Json:
    """Typing and read receipts."""
    if hasattr(sign, "users"):
        return {"typing": sign.users}
    receipts = getattr(sign, "receipts", [])
    return {"read": [{"event_id": one.event_id, "user": one.user_id} for one in receipts]}
