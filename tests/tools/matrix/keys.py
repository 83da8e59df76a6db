"""Whose keys are signed by whom, checked with libsodium (by signedjson, as servers do), and cross-signing for a person.

nio knows nothing of cross-signing, so it is done here by the API itself.
"""

from typing import Any

from signedjson.key import decode_verify_key_bytes, encode_verify_key_base64, generate_signing_key, get_verify_key
from signedjson.sign import SignatureVerifyException, sign_json, verify_signed_json
from unpaddedbase64 import decode_base64

from client import Client, Json

API = "/_matrix/client/v3/keys/"
PARTS = ("master", "self_signing", "user_signing")


async def query(client: Client, user: str) -> Json:
    return await client.api("POST", API + "query", {"device_keys": {user: []}})


async def report(client: Client, user: str) -> Json:
    """{"master", "self_signing", "user_signing"}: public keys or null (the last is shown to its owner only);
    "self_signing_signed" and "user_signing_signed": by the master key; "master_signed_by": devices;
    "devices": {id: {"name", "self_signed", "cross_signed"}}, the latter by a self-signing key that the master key signed."""
    told = await query(client, user)
    devices = told["device_keys"].get(user, {})
    keys = {part: told.get(f"{part}_keys", {}).get(user) for part in PARTS}
    public = {part: public_key(key) for part, key in keys.items()}
    signed = {part: holds(keys[part], user, "ed25519", public["master"]) for part in PARTS[1:]}
    return {part: public[part] and public[part][1] for part in PARTS} | {
        "self_signing_signed": signed["self_signing"],
        "user_signing_signed": signed["user_signing"],
        "master_signed_by": [name for name in devices if holds(keys["master"], user, "ed25519", device_key(devices, name))],
        "devices": {
            name: {
                "name": device.get("unsigned", {}).get("device_display_name"),
                "self_signed": holds(device, user, "ed25519", device_key(devices, name)),
                "cross_signed": signed["self_signing"] and holds(device, user, "ed25519", public["self_signing"]),
            }
            for name, device in devices.items()
        },
    }


def public_key(key: Json | None) -> tuple[str, str] | None:
    """The name and the bytes, in base64, of a cross-signing key: it is named by itself."""
    return next(((name.split(":", 1)[1], value) for name, value in key["keys"].items()), None) if key else None


def device_key(devices: Json, name: str) -> tuple[str, str] | None:
    key = devices[name]["keys"].get(f"ed25519:{name}")
    return (name, key) if key else None


def holds(what: Json | None, signer: str, kind: str, key: tuple[str, str] | None) -> bool:
    if what is None or key is None:
        return False
    try:
        verify_signed_json(what, signer, decode_verify_key_bytes(f"{kind}:{key[0]}", decode_base64(key[1])))
    except SignatureVerifyException:
        return False
    return True


def new_key() -> Any:
    key = generate_signing_key("unnamed")
    key.version = encode_verify_key_base64(get_verify_key(key))
    return key


async def cross_sign(client: Client) -> Json:
    """Uploads three new keys and signs the own device; needs no password, since there were none before."""
    user, device = client.nio.user_id, client.nio.device_id
    secret = {part: new_key() for part in PARTS}
    public: Json = {
        part: {"user_id": user, "usage": [part], "keys": {f"ed25519:{key.version}": key.version}}
        for part, key in secret.items()
    }
    for part in PARTS[1:]:
        sign_json(public[part], user, secret["master"])
    await client.api("POST", API + "device_signing/upload", {f"{part}_key": key for part, key in public.items()})
    own = (await query(client, user))["device_keys"][user][device]
    await upload_signature(client, user, device, own, secret["self_signing"])
    client.cross_signing = secret
    return {part: key.version for part, key in secret.items()}


async def trust(client: Client, user: str) -> None:
    """Signs somebody's master key with the own user-signing key: to this person they are verified from now on."""
    master = (await query(client, user))["master_keys"][user]
    name = next(iter(master["keys"].values()))
    await upload_signature(client, user, name, master, client.cross_signing["user_signing"])


async def upload_signature(client: Client, user: str, name: str, what: Json, key: Any) -> None:
    signed = {part: value for part, value in what.items() if part not in ("signatures", "unsigned")}
    sign_json(signed, client.nio.user_id, key)
    answer = await client.api("POST", API + "signatures/upload", {user: {name: signed}})
    if answer.get("failures"):
        raise RuntimeError(f"the signature was refused: {answer['failures']}")
