"""What a person's client writes into an event, and what it shows of all that came."""

from typing import Any

Json = dict[str, Any]


def message(order: Json) -> Json:
    """The content of a message: {"body", "html"?, "msgtype"?, "mentions"?, "thread"?, "reply"?, "edit"?, "extra"?}."""
    content: Json = {"msgtype": order.get("msgtype", "m.text"), "body": order["body"]}
    if "html" in order:
        content |= {"format": "org.matrix.custom.html", "formatted_body": order["html"]}
    if "mentions" in order:
        content["m.mentions"] = {"user_ids": order["mentions"]}
    content |= order.get("extra", {})
    if "edit" in order:
        new, content = content, content | {"body": "* " + order["body"]}
        return content | {"m.new_content": new, "m.relates_to": {"rel_type": "m.replace", "event_id": order["edit"]}}
    return content | relation(order)


def relation(order: Json) -> Json:
    """Where a message belongs: into a thread, below another one, or nowhere."""
    answered = order.get("reply", order.get("thread"))
    if not answered:
        return {}
    relates: Json = {"m.in_reply_to": {"event_id": answered}}
    if "thread" in order:
        relates |= {"rel_type": "m.thread", "event_id": order["thread"], "is_falling_back": "reply" not in order}
    return {"m.relates_to": relates}


def attachment(kind: str, name: str, mime: str, size: int) -> Json:
    """The content of a file without its place; a voice message is audio with two marks."""
    content: Json = {
        "msgtype": "m.audio" if kind == "voice" else f"m.{kind}",
        "body": name,
        "filename": name,
        "info": {"mimetype": mime, "size": size},
    }
    if kind == "voice":
        content |= {"org.matrix.msc3245.voice": {}, "org.matrix.msc1767.audio": {"duration": 1000, "waveform": [0, 512, 1024]}}
        content["info"]["duration"] = 1000
    return content


def shown(events: list[Json]) -> list[Json]:
    """The messages of a room as a client shows them: edited by their own senders only, with reactions, without what was taken
    back. An event that cannot be decrypted is shown too, since its reader sees that it is there."""
    items: dict[str, Json] = {}
    reactions: dict[str, tuple[str, Json]] = {}
    for event in events:
        relates = event["content"].get("m.relates_to") or {}
        target = items.get(relates.get("event_id", ""))
        kind = relates.get("rel_type")
        if event["type"] == "m.room.redaction":
            take_back(event.get("redacts") or event["content"].get("redacts"), items, reactions)
        elif event["type"] == "m.reaction" and target:
            reaction = {"key": relates.get("key"), "sender": event["sender"]}
            target["reactions"].append(reaction)
            reactions[event["event_id"]] = (target["event_id"], reaction)
        elif kind == "m.replace":
            if target and target["sender"] == event["sender"] and not target["redacted"]:
                target |= visible(event["content"].get("m.new_content", {}))
                target["edits"] += 1
                target["encrypted"] &= event["encrypted"]
        elif event["type"] in ("m.room.message", "m.room.encrypted"):
            items[event["event_id"]] = item(event, relates)
    return list(items.values())


def item(event: Json, relates: Json) -> Json:
    threaded = relates.get("rel_type") == "m.thread"
    return visible(event["content"]) | {
        "event_id": event["event_id"],
        "sender": event["sender"],
        "thread": relates.get("event_id") if threaded else None,
        "reply": (relates.get("m.in_reply_to") or {}).get("event_id"),
        "falling_back": relates.get("is_falling_back", False),
        "edits": 0,
        "reactions": [],
        "redacted": "redacted_because" in event.get("unsigned", {}),
        "encrypted": event["encrypted"],
        "undecryptable": event["undecryptable"],
    }


def visible(content: Json) -> Json:
    return {"msgtype": content.get("msgtype"), "body": content.get("body"), "html": content.get("formatted_body")}


def take_back(name: str | None, items: dict[str, Json], reactions: dict[str, tuple[str, Json]]) -> None:
    if name in items:
        items[name] |= {"msgtype": None, "body": None, "html": None, "redacted": True}
    elif name in reactions:
        target, reaction = reactions[name]
        items[target]["reactions"].remove(reaction)
