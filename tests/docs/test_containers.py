"""Check that the names in the container files exist; Docker is not used."""

import ast
import json
import re
import shlex
import subprocess

import pytest
import yaml

from specter_graph.service.auth import PUBLIC_PATH
from specter_graph.service.service_settings import LOOPBACK
from specter_graph.settings import Settings
from tests.cli.parsing import parse
from tests.docs.pages import ROOT

DOCKERFILE_AS_IT_IS = (ROOT / "Dockerfile").read_text()
DOCKERFILE = DOCKERFILE_AS_IT_IS.replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICE = COMPOSE["services"]["service"]
GUIDE = (ROOT / "docs" / "deployment.md").read_text()
LINES = [line.split(maxsplit=1) for line in DOCKERFILE.splitlines() if re.match(r"[A-Z]", line)]


def values_of(instruction):
    return [rest for name, rest in LINES if name == instruction]


def test_the_image_has_the_packages_but_no_tests_data_or_secrets():
    assert ". ." in values_of("COPY")
    ignored = set((ROOT / ".dockerignore").read_text().split("\n"))
    assert {".*", "tests", "docs", "bench"} <= ignored
    links = {path.name for path in (ROOT / "specter_graph").iterdir() if path.is_symlink()}
    assert len(links) == 7
    assert not links & ignored


def pins(text):
    """Return the hashes of each pinned package, by name."""
    result = {}
    for line in text.splitlines():
        if match := re.match(r"([\w.-]+)(?:\[.+\])?==", line):
            hashes = result.setdefault(match[1], set())
        hashes |= {*re.findall(r"--hash=(\S+)", line)}
    return result


def test_all_pins_have_hashes_except_pytorch():
    [command] = re.findall(r"(sed '/\^torch==.+?) > pinned.txt", DOCKERFILE_AS_IT_IS)
    taken = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True)
    assert pins(taken.stdout) == pins((ROOT / "requirements.txt").read_text()) | {"torch": set()}
    assert "\ntorch==" in taken.stdout


@pytest.mark.parametrize("file", ["Dockerfile", "Makefile"])
def test_uv_itself_is_installed_by_its_hashes(file):
    [command] = re.findall(r"(sed -n '/\^uv==.+?) > ", (ROOT / file).read_text())
    taken = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True)
    assert [*pins(taken.stdout)] == ["uv"]
    assert len(pins(taken.stdout)["uv"]) > 10
    assert not re.search(r"pip install [^\n]*uv==", (ROOT / file).read_text())


def test_it_runs_an_existing_command_as_a_separate_user():
    assert values_of("USER")[-1] == "10001:10001"
    assert f"--uid {values_of('USER')[-1].partition(':')[0]} " in DOCKERFILE
    assert json.loads(values_of("ENTRYPOINT")[-1]) == ["specter-graph"]
    parse(json.loads(values_of("CMD")[-1]))


def test_the_health_check_needs_no_key():
    words = json.loads(values_of("HEALTHCHECK")[-1].partition("CMD ")[2])
    assert words[:2] == ["python", "-c"]
    ast.parse(words[2])
    port = json.loads(values_of("CMD")[-1])[-1]
    assert f"http://127.0.0.1:{port}{PUBLIC_PATH}'" in words[2]
    assert values_of("EXPOSE") == [port]


def test_the_environment_variables_are_settings():
    given = [*SERVICE["environment"], *re.findall(r"(SPECTER_GRAPH_\w+)=", DOCKERFILE)]
    assert len(given) == 6
    given.remove("FORWARDED_ALLOW_IPS")  # of uvicorn
    assert {name.lower() for name in given} <= set(Settings.model_fields)


def test_beyond_loopback_a_key_is_required_and_ports_are_local():
    host = json.loads(values_of("CMD")[-1])[2]
    assert host not in LOOPBACK  # then `serve` needs a key, and stores it in the persistent folder
    folder = re.search(r"SPECTER_GRAPH_DATA=(\S+)", DOCKERFILE)[1]
    assert (
        [each.partition(":")[2] for each in SERVICE["volumes"]] == [folder] == values_of("VOLUME")
    )
    ports = [port for each in COMPOSE["services"].values() for port in each["ports"]]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []
    assert SERVICE["environment"]["NEO4J_PASSWORD"].startswith("${NEO4J_PASSWORD:?")


def test_behind_a_proxy_with_tls_links_of_feeds_and_cookies_are_https():
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in GUIDE
    assert SERVICE["environment"]["FORWARDED_ALLOW_IPS"] == "*"


def test_named_volumes_and_services_exist():
    for each in COMPOSE["services"].values():
        assert {volume.partition(":")[0] for volume in each["volumes"]} <= set(COMPOSE["volumes"])
        assert set(each.get("depends_on", ())) <= set(COMPOSE["services"])


_OPTION = r"(?:--\S+ (?:\"\S+\" )?)*"
RUN = re.findall(rf"docker compose run --rm {_OPTION}service (.+?)(?:`|$)", GUIDE, re.MULTILINE)


def test_the_guide_has_commands():
    assert len(RUN) >= 6


@pytest.mark.parametrize("line", RUN)
def test_every_command_of_the_guide_parses(line):
    parse(shlex.split(line))
