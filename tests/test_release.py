"""What is handed out says what is in it."""

import hashlib
import importlib.util
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheelhouse():
    spec = importlib.util.spec_from_file_location("wheelhouse", ROOT / "release" / "wheelhouse.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wheel(folder, name, *lines):
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        text = "\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *lines])
        archive.writestr(f"{name}-1.0.dist-info/METADATA", text + "\n\nDescription: not this\n")
    return path


@pytest.mark.parametrize(
    ("lines", "licence"),
    [
        (["License-Expression: MIT", "License: something else"], "MIT"),
        (
            ["Classifier: License :: OSI Approved :: Apache Software License"],
            "Apache Software License",
        ),
        (["License: BSD-3-Clause"], "BSD-3-Clause"),
        ([], "not stated"),
    ],
)
def test_a_licence_is_found_in_the_three_ways_it_is_stated(wheelhouse, tmp_path, lines, licence):
    found = wheelhouse.component(wheel(tmp_path, "thing", *lines))
    assert found["licenses"] == [{"license": {"name": licence}}]


def test_the_bill_names_the_package_its_parts_and_their_hashes(wheelhouse, tmp_path):
    own, other = wheel(tmp_path, "consilience"), wheel(tmp_path, "Some_Part")
    bill = wheelhouse.bill([own, other])
    assert bill["metadata"]["component"]["name"] == "consilience"
    [part] = bill["components"]
    assert part["purl"] == "pkg:pypi/some-part@1.0"
    assert part["hashes"][0]["content"] == hashlib.sha256(other.read_bytes()).hexdigest()


def test_the_container_runs_without_rights():
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert "USER 10001" in lines
    assert lines.index("USER 10001") < lines.index('ENTRYPOINT ["consilience"]')


def test_the_page_runs_the_image_as_the_study_between_containers_does():
    script = (ROOT / "release" / "contained.sh").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for promise in ("--read-only", "--cap-drop=ALL", "--network=none", "--tmpfs /tmp"):
        assert promise in script
        assert promise in page
