"""Evidence as a Five Safes RO-Crate (profile 0.4): what secure research environments exchange.

A bag with the sealed bundle, its statement, the study file and ``ro-crate-metadata.json``, which
says in the words of schema.org who made the release and how its disclosure was checked.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from consilience.evidence.bag import write_bag
from consilience.evidence.check import Checked
from consilience.evidence.statement import ENDING, WORDS_ENDING
from consilience.evidence.wording import in_words

__all__ = ["export_crate"]

ROCRATE, PROFILE = "https://w3id.org/ro/crate/1.2", "https://w3id.org/5s-crate/0.4"
CHECKS = "https://w3id.org/shp#"
SHA_512 = "https://www.iana.org/assignments/named-information#sha-512"
DONE, TO_DO = "http://schema.org/CompletedActionStatus", "http://schema.org/PotentialActionStatus"
SOFTWARE = "#consilience"

Entity = dict[str, Any]


def export_crate(bundle: Path, study: Path, checked: Checked, folder: Path) -> None:
    """Write a bundle and its evidence as a Five Safes RO-Crate.

    Parameters
    ----------
    bundle : Path
        The sealed file, checked against its statement.
    study : Path
        The study file.
    checked : Checked
    folder : Path
        The bag to be.

    Notes
    -----
    The profile is made for workflows that are sent to the data; here the software is at the data
    already. So ``mainEntity`` is a ``SoftwareApplication``, and there is no download phase.
    """
    graph = [*_graph(bundle.name, study.name, checked)]
    crate = {"@context": f"{ROCRATE}/context", "@graph": graph}
    files: dict[str, bytes | Path] = {
        bundle.name: bundle,
        study.name: study,
        bundle.name + ENDING: (checked.envelope.to_text() + "\n").encode(),
        bundle.name + WORDS_ENDING: in_words(checked.statement).encode(),
        "ro-crate-metadata.json": json.dumps(crate, indent=1).encode(),
    }
    sealed = checked.statement["subject"][0]["digest"]["sha256"]
    name = uuid.uuid5(uuid.NAMESPACE_OID, sealed)
    write_bag(folder, files, {"External-Identifier": f"urn:uuid:{name}"})


def _graph(bundle: str, study: str, checked: Checked) -> Iterator[Entity]:
    said = checked.statement["predicate"]
    files = [bundle, bundle + ENDING, bundle + WORDS_ENDING, study]
    actions = ["#release", "#disclosure", "#bagit"]
    house = f"#{checked.sender}"
    yield {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": _to(ROCRATE),
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": _to(PROFILE),
        "name": f"{bundle}, release of {checked.sender}",
        "description": f"What {checked.sender} sends in the study {said['study']['name']!r}, "
        f"sealed, with the evidence for its disclosure check.",
        "datePublished": said["when"],
        "license": "As agreed between the parties of the study.",
        "hasPart": [_to(name) for name in files],
        "mainEntity": _to(SOFTWARE),
        "mentions": [_to(name) for name in actions],
        "sourceOrganization": _to("#study"),
        "publisher": _to(house),
    }
    yield {"@id": PROFILE, "@type": "Profile", "name": "Five Safes RO-Crate profile"}
    yield from _files(files, checked)
    yield {
        "@id": SOFTWARE,
        "@type": "SoftwareApplication",
        "name": "Consilience",
        "softwareVersion": said["version"],
    }
    yield {
        "@id": "#study",
        "@type": "Project",
        "name": said["study"]["name"],
        "identifier": said["study"]["digest"],
        "member": [_to(house)],
    }
    yield {"@id": house, "@type": "Organization", "name": checked.sender}
    yield from _actions(bundle, checked)


def _files(names: list[str], checked: Checked) -> Iterator[Entity]:
    content = checked.statement["predicate"]["content"]
    about = [
        (f"{content['message']}: {content['purpose']}, sealed", "application/age"),
        ("What it holds: in-toto Statement in a DSSE envelope", "application/json"),
        ("The same in words", "text/plain"),
        ("The terms of the study", "application/toml"),
    ]
    for name, (description, form) in zip(names, about, strict=True):
        yield {"@id": name, "@type": "File", "name": description, "encodingFormat": form}


def _actions(bundle: str, checked: Checked) -> Iterator[Entity]:
    said = checked.statement["predicate"]
    people = {name: f"#person-{name}" for name in checked.approved_by}
    account = f"#account-{said['ran_by']}"
    yield {"@id": account, "@type": "Person", "name": said["ran_by"], "memberOf": _to("#study")}
    for name, person in people.items():
        yield {"@id": person, "@type": "Person", "name": name}
    yield {
        "@id": "#release",
        "@type": "CreateAction",
        "name": f"Made for {said['to']['role']}",
        "agent": _to(account),
        "instrument": _to(SOFTWARE),
        "result": _to(bundle),
        "endTime": said["when"],
        "actionStatus": DONE,
    }
    findings = [*_findings(said)]
    approved = "approved" if not checked.n_missing else f"lacks {checked.waits_for}"
    yield {
        "@id": "#disclosure",
        "@type": "AssessAction",
        "additionalType": _to(f"{CHECKS}DisclosureCheck"),
        "name": f"Disclosure check of what would leave: {approved}",
        "object": [_to("./"), _to(bundle)],
        "instrument": _to(SOFTWARE),
        "agent": [_to(person) for person in people.values()] or _to(account),
        "result": [_to(finding["@id"]) for finding in findings],
        "endTime": said["when"],
        "actionStatus": TO_DO if checked.n_missing else DONE,
    }
    yield from findings
    yield {
        "@id": "#bagit",
        "@type": "UpdateAction",
        "additionalType": _to(f"{CHECKS}GenerateCheckValue"),
        "name": "Manifests of the bag written",
        "object": _to("./"),
        "instrument": _to(SHA_512),
        "agent": _to(SOFTWARE),
        "endTime": said["when"],
        "actionStatus": DONE,
    }
    yield {"@id": SHA_512, "@type": "DefinedTerm", "name": "sha-512 algorithm"}


def _findings(said: dict[str, Any]) -> Iterator[Entity]:
    """Return the figures of the audit, each with the limit of the study."""
    limit = {} if said["limit"] is None else {"maxValue": said["limit"]}
    for k, finding in enumerate((said["audit"] or {"findings": []})["findings"]):
        figure = finding["median_r2"]
        yield {
            "@id": f"#finding-{k}",
            "@type": "PropertyValue",
            "name": f"{finding['attack']} by {finding['coalition']}: median R2 rebuilt",
            "value": "not run" if figure is None else figure["mean"],
            "description": finding["reason"] or f"level {finding['level']}",
            **limit,
        }


def _to(name: str) -> dict[str, str]:
    return {"@id": name}
