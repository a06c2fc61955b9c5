"""A consortium that runs NVFlare: server and sites as processes of their own, on loopback."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PROJECT = """
api_version: 3
name: town
description: a consortium on one machine
participants:
  - {{name: localhost, type: server, org: town, fed_learn_port: {port}, admin_port: {port}}}
{sites}
  - {{name: admin@town.example, type: admin, org: town, role: project_admin}}
builders:
  - path: nvflare.lighter.impl.workspace.WorkspaceBuilder
    args: {{template_file: [master_template.yml]}}
  - path: nvflare.lighter.impl.static_file.StaticFileBuilder
    args: {{config_folder: config}}
  - path: nvflare.lighter.impl.cert.CertBuilder
  - path: nvflare.lighter.impl.signature.SignatureBuilder
"""
SITE = "  - {{name: {name}, type: client, org: town}}"
SUBMIT = """
import sys
from nvflare.fuel.flare_api.flare_api import new_secure_session
session = new_secure_session("admin@town.example", sys.argv[1], timeout=60.0)
try:
    for name in sys.argv[3:]:
        print(session.submit_job(name) if sys.argv[2] == "submit" else session.abort_job(name))
finally:
    session.close()
"""


class Consortium:
    """Start-up kits, a server and its sites; one called localhost listens on loopback alone."""

    def __init__(
        self,
        folder: Path,
        sites: list[str],
        parts: str = "consilience.carriers.flare.components",
    ) -> None:
        self.folder, self.sites, self._parts, self._running = folder, sites, parts, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        lines = "\n".join(SITE.format(name=name) for name in sites)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "project.yml").write_text(PROJECT.format(port=port, sites=lines))
        kits = [sys.executable, "-m", "nvflare.cli", "provision", "-p", "project.yml"]
        self._run([*kits, "-w", "kits", "--force"])
        self.kits = folder / "kits" / "town" / "prod_00"
        for name in ("localhost", *sites):
            self._allow(self.kits / name / "local")

    def _allow(self, local: Path) -> None:
        """Do what the administrator of a site does once: name the parts that may run there."""
        resources = json.loads((local / "resources.json.default").read_text())
        resources["class_allow_list"].append(self._parts)
        (local / "resources.json").write_text(json.dumps(resources))

    def post(self, site: str) -> Path:
        """Return the folder of a site that its roles join."""
        return self.folder / "post" / site

    def start(self) -> None:
        """Start the server, then the sites."""
        server = ["server_train", "-s", "fed_server.json", "--set", "secure_train=true"]
        self._start("localhost", [*server, "config_folder=config", "org=town"])
        for site in self.sites:
            self.start_site(site)

    def start_site(self, site: str) -> None:
        given = ["client_train", "-s", "fed_client.json", "--set", "secure_train=true"]
        uid = [f"uid={site}", "org=town", "config_folder=config"]
        self._start(site, [*given, *uid], CONSILIENCE_POST=str(self.post(site)))

    def submit(self, job: Path) -> str:
        """Submit a job as the administrator; return its number."""
        return self._session("submit", str(job))

    def abort(self, number: str) -> None:
        self._session("abort", number)

    def close(self) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _session(self, *words: str) -> str:
        kit = self.kits / "admin@town.example"
        for _ in range(30):
            done = self._run([sys.executable, "-c", SUBMIT, str(kit), *words], check=False)
            if done.returncode == 0:
                return done.stdout.split()[-1]
            time.sleep(1)
        raise RuntimeError(done.stderr[-2000:])

    def _start(self, name: str, words: list[str], **environment: str) -> None:
        kit, module = self.kits / name, f"nvflare.private.fed.app.{words[0][:6]}.{words[0]}"
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running.append(
                subprocess.Popen(
                    [sys.executable, "-u", "-m", module, "-m", str(kit), *words[1:]],
                    cwd=kit,
                    env=self._environment | environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    @property
    def _environment(self) -> dict[str, str]:
        proxies = {name: "" for name in os.environ if name.lower().endswith("_proxy")}
        return {**os.environ, **proxies, "HOME": str(self.folder), "OMP_NUM_THREADS": "1"}

    def _run(self, words: list[str], check: bool = True) -> subprocess.CompletedProcess:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self._environment,
            check=check,
            capture_output=True,
            text=True,
            timeout=120,
        )
