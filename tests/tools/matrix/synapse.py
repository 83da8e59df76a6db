"""Runs one real Matrix server on loopback: synapse.py [--limits] [--sync-cache] [--set KEY=JSON ...]

The first line of standard output tells where it is, as JSON; then each line of standard input is an order, {"do": what, ...},
and each gets one line of JSON, or {"error": text}. Its data lie in memory where there is such a place. When standard input
ends, the server is stopped and its data are removed; if this program is killed, the server goes with it.

  account    {"name", "admin"?}         {"user_id", "device_id", "access_token", "password"}, without any login
  call       {"method", "path", "body"?, "token"?}   {"status", "body"}: as the server's admin unless a token says who
  stop, kill, start, restart   {"set"?}   the same place again; "set" changes the server's configuration from then on
  freeze, thaw                          it accepts connections and says nothing
"""

import argparse
import base64
import ctypes
import hashlib
import hmac
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

Json = dict[str, Any]

READY_WITHIN = 120.0  # seconds; it takes two on a quiet machine
STOPPED_WITHIN = 20.0
NAME = "localhost"

# Everything that Synapse limits by default. A bot's test wants its own limits, if any.
NO_LIMIT: Json = {"per_second": 1_000_000, "burst_count": 1_000_000}
NO_LIMITS: Json = {
    "rc_login": dict.fromkeys(("address", "account", "failed_attempts"), NO_LIMIT),
    "rc_joins": dict.fromkeys(("local", "remote"), NO_LIMIT),
    "rc_invites": dict.fromkeys(("per_room", "per_user", "per_issuer"), NO_LIMIT),
    "rc_presence": {"per_user": NO_LIMIT},
} | dict.fromkeys(
    [
        "rc_message",
        "rc_registration",
        "rc_registration_token_validity",
        "rc_admin_redaction",
        "rc_joins_per_room",
        "rc_3pid_validation",
        "rc_third_party_invite",
        "rc_media_create",
        "rc_delayed_event_mgmt",
        "rc_room_creation",
        "rc_reports",
        "rc_user_directory",
        "rc_profile",
    ],
    NO_LIMIT,
)


class Synapse:
    """One server; its port and data stay the same over restarts."""

    def __init__(self, folder: Path, settings: Json) -> None:
        self.folder, self.settings = folder, settings
        self.secret = secrets.token_hex(16)
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.admin = ""
        self._write_once()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _write_once(self) -> None:
        seed = base64.b64encode(os.urandom(32)).decode().rstrip("=")
        (self.folder / "signing.key").write_text(f"ed25519 a_test {seed}\n")
        handler = {"class": "logging.FileHandler", "filename": str(self.folder / "homeserver.log"), "formatter": "f"}
        log = {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"f": {"format": "%(asctime)s %(name)s %(levelname)s %(request)s %(message)s"}},
            "handlers": {"file": handler},
            "root": {"level": "WARNING", "handlers": ["file"]},
        }
        (self.folder / "log.yaml").write_text(json.dumps(log))
        self.macaroon, self.form = secrets.token_hex(16), secrets.token_hex(16)

    def _configuration(self) -> Json:
        """JSON is YAML, so nothing is needed to write it."""
        listener = {
            "port": self.port,
            "bind_addresses": ["127.0.0.1"],
            "type": "http",
            "tls": False,
            "resources": [{"names": ["client"], "compress": False}],
        }
        return {
            "server_name": NAME,
            "public_baseurl": self.url + "/",
            "listeners": [listener],
            "database": {"name": "sqlite3", "args": {"database": str(self.folder / "homeserver.db")}},
            "log_config": str(self.folder / "log.yaml"),
            "media_store_path": str(self.folder / "media"),
            "signing_key_path": str(self.folder / "signing.key"),
            "registration_shared_secret": self.secret,
            "macaroon_secret_key": self.macaroon,
            "form_secret": self.form,
            "report_stats": False,
            "enable_registration": False,
            # nobody outside is ever asked anything
            "trusted_key_servers": [],
            "suppress_key_server_warning": True,
            "federation_domain_whitelist": [],
            "url_preview_enabled": False,
            "presence": {"enabled": False},
            "max_upload_size": "50M",
            # or every account would cost half a second
            "bcrypt_rounds": 4,
        } | self.settings

    def start(self) -> None:
        """Starts it, and waits until it answers. The first start looks for a free port; somebody else may take it first."""
        fixed = self.port != 0
        for _ in range(1 if fixed else 3):
            if not fixed:
                self.port = free_port()
            (self.folder / "homeserver.yaml").write_text(json.dumps(self._configuration(), indent=1))
            if self._ready():
                return
        last_words = (self.folder / "output.log").read_text()[-2000:]
        raise RuntimeError(f"the server does not start: {last_words}")

    def _ready(self) -> bool:
        environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        with open(self.folder / "output.log", "ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "synapse.app.homeserver", "-c", str(self.folder / "homeserver.yaml")],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                env=environment,
                preexec_fn=end_with_parent,
            )
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if self.call("GET", "/health")["status"] == 200:
                    return True
            except OSError:
                time.sleep(0.05)
        self.stop(signal.SIGKILL)
        return False

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def signal(self, what: signal.Signals) -> None:
        if self.process is None:
            raise RuntimeError("the server does not run")
        self.process.send_signal(what)

    def call(self, method: str, path: str, body: Json | None = None, token: str | None = None) -> Json:
        """A call of the client-server or admin API; a refusal is an answer like any other."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return {"status": answer.status, "body": parsed(answer.read())}
        except urllib.error.HTTPError as refusal:
            return {"status": refusal.code, "body": parsed(refusal.read())}

    def account(self, name: str, admin: bool) -> Json:
        """A new account by the shared secret: it comes with a device and its token, so that no login is spent on it."""
        password = secrets.token_hex(8)
        nonce = self.call("GET", "/_synapse/admin/v1/register")["body"]["nonce"]
        words = "\0".join([nonce, name, password, "admin" if admin else "notadmin"])
        account = {"nonce": nonce, "username": name, "password": password, "admin": admin}
        account["mac"] = hmac.new(self.secret.encode(), words.encode(), hashlib.sha1).hexdigest()
        made = self.call("POST", "/_synapse/admin/v1/register", account)
        if made["status"] != 200:
            raise RuntimeError(f"no account {name}: {made}")
        return made["body"] | {"password": password}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def end_with_parent() -> None:
    ctypes.CDLL("libc.so.6").prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")


def obey(server: Synapse, order: Json) -> Json:
    server.settings |= order.get("set", {})
    match order["do"]:
        case "account":
            return server.account(order["name"], order.get("admin", False))
        case "call":
            token = order.get("token", server.admin)
            return server.call(order["method"], order["path"], order.get("body"), token)
        case "stop":
            server.stop()
        case "kill":
            server.stop(signal.SIGKILL)
        case "start":
            server.start()
        case "restart":
            server.stop()
            server.start()
        case "freeze":
            server.signal(signal.SIGSTOP)
        case "thaw":
            server.signal(signal.SIGCONT)
        case what:
            raise ValueError(f"no such order: {what}")
    return {"pid": server.process.pid if server.process else None}


def serve(server: Synapse) -> None:
    server.start()
    server.admin = server.account("server_admin", True)["access_token"]
    assert server.process
    place = {"url": server.url, "server_name": NAME, "folder": str(server.folder), "pid": server.process.pid}
    print(json.dumps(place), flush=True)
    for line in sys.stdin:
        try:
            answer = obey(server, json.loads(line))
        except Exception as error:  # whatever it is, whoever gave the order wants to know
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


def settings() -> Json:
    options = argparse.ArgumentParser()
    options.add_argument("--limits", action="store_true", help="Synapse's own rate limits")
    options.add_argument("--sync-cache", action="store_true", help="an identical sync is answered from a cache for two minutes")
    options.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="any other setting of Synapse")
    chosen = options.parse_args()
    made: Json = {} if chosen.limits else dict(NO_LIMITS)
    made["caches"] = {"global_factor": 0.5} | ({} if chosen.sync_cache else {"sync_response_cache_duration": "0s"})
    for setting in chosen.set:
        key, value = setting.split("=", 1)
        made[key] = json.loads(value)
    return made


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of standard input tells it when a terminal is interrupted
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="tertulia-synapse-", dir=memory if memory.is_dir() else None))
    server = Synapse(folder, settings())
    try:
        serve(server)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
