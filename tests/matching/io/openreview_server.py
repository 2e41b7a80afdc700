"""A server on loopback that answers as both APIs of OpenReview do.

The formats follow the documentation and openreview-py's parsers; the venue is fictitious. API 1 is
below /v1. Posted and deleted edges change the responses to later requests.
"""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.servers import JsonAnswers, WebService

VENUE = "X.org/2027/Conference"
REVIEWERS = f"{VENUE}/Reviewers"
PASSWORD = "correct horse"


def _value(value: object) -> dict[str, object]:
    return {"value": value}


GROUPS: dict[str, dict[str, Any]] = {
    VENUE: {
        "id": VENUE,
        "domain": VENUE,
        "members": [],
        "content": {
            "submission_venue_id": _value(f"{VENUE}/Submission"),
            "reviewers_id": _value(REVIEWERS),
            "program_chairs_id": _value(f"{VENUE}/Program_Chairs"),
            "bid_name": _value("Bid"),
            "reviewers_conflict_id": _value(f"{REVIEWERS}/-/Conflict"),
            "reviewers_custom_max_papers_id": _value(f"{REVIEWERS}/-/Custom_Max_Papers"),
            "reviewers_affinity_score_id": _value(f"{REVIEWERS}/-/Affinity_Score"),
            "reviewers_proposed_assignment_id": _value(f"{REVIEWERS}/-/Proposed_Assignment"),
        },
    },
    REVIEWERS: {"id": REVIEWERS, "members": ["~Ann_Smith1", "bob@x.org", "new@x.org"]},
}
PROFILES: list[dict[str, Any]] = [
    {
        "id": "~Ann_Smith1",
        "state": "Active",
        "content": {"names": [{"fullname": "Ann Smith", "username": "~Ann_Smith1"}]},
    },
    {
        "id": "~Bob1",
        "state": "Active",
        "confirmedEmails": ["bob@x.org"],
        "content": {"names": [{"fullname": "Bob", "username": "~Bob1"}], "emailsConfirmed": []},
    },
]


def _note(key: str, title: str, authors: list[str], **more: Any) -> dict[str, Any]:
    content = {"title": _value(title), "abstract": _value("Text."), "authorids": _value(authors)}
    return {
        "id": key,
        "content": content,
        "readers": ["everyone"],
        "cdate": 1_700_000_000_000,
    } | more


SUBMISSIONS = [
    _note("s1", "On graphs", ["~Cara1"], number=4, readers=[VENUE]),
    _note("s2", "On trees", ["~Ann_Smith1"], number=7, readers=[VENUE]),
]
PUBLICATIONS = [
    _note("p1", "Graphs grow", ["~Ann_Smith1", "~Bob1"]),
    _note("p2", "Under review elsewhere", ["~Ann_Smith1"], readers=["Y.org"]),
]
FIRST = [
    {
        "id": "d1",
        "content": {"title": "Old graphs", "authorids": ["~Ann_Smith1"], "venue": "dblp.org/X"},
        "readers": ["everyone"],
        "cdate": 1_400_000_000_000,
    }
]
EDGES: list[dict[str, Any]] = [
    {"invitation": f"{REVIEWERS}/-/Bid", "head": "s1", "tail": "~Bob1", "label": "Very High"},
    {"invitation": f"{REVIEWERS}/-/Bid", "head": "gone", "tail": "~Bob1", "label": "Low"},
    {
        "invitation": f"{REVIEWERS}/-/Conflict",
        "head": "s2",
        "tail": "~Ann_Smith1",
        "weight": -1,
        "label": "Conflict",
    },
    {
        "invitation": f"{REVIEWERS}/-/Custom_Max_Papers",
        "head": REVIEWERS,
        "tail": "~Bob1",
        "weight": 2,
    },
]


class OpenReviewServer(WebService):
    """`edges` are those of the venue."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.edges = [*EDGES]
        self.lost = 0

    def matching(self, query: dict[str, str]) -> list[dict[str, Any]]:
        return [
            edge
            for edge in self.edges
            if edge["invitation"] == query["invitation"]
            and edge.get("label") == query.get("label", edge.get("label"))
        ]


class _Handler(JsonAnswers, BaseHTTPRequestHandler):
    server: OpenReviewServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if not self.is_open():
            return
        match parts.path:
            case "/groups":
                group = GROUPS.get(query["id"])
                if group:
                    self.answer({"groups": [group]})
                else:
                    self.answer({"name": "NotFoundError", "message": "Group Not Found"}, 404)
            case "/notes":
                self.notes(SUBMISSIONS + PUBLICATIONS, query)
            case "/v1/notes":
                self.notes(FIRST, query)
            case "/invitations":
                edge = {
                    "readers": [
                        VENUE,
                        f"{VENUE}/Submission${{{{2/head}}/number}}/ACs",
                        "${2/tail}",
                    ],
                    "nonreaders": [f"{VENUE}/Submission${{{{2/head}}/number}}/Authors"],
                    "writers": [VENUE],
                    "signatures": {"param": {"items": []}},
                }
                self.answer({"invitations": [{"id": query["id"], "domain": VENUE, "edge": edge}]})
            case "/edges/count":
                self.answer({"count": len(self.server.matching(query))})
            case "/edges":
                assert query["groupBy"] == "tail"
                groups: dict[str, list[dict[str, Any]]] = {}
                for edge in self.server.matching(query):
                    rest = {name: edge[name] for name in edge if name != "tail"}
                    groups.setdefault(edge["tail"], []).append(rest)
                grouped = [{"id": {"tail": tail}, "values": each} for tail, each in groups.items()]
                self.answer({"groupedEdges": grouped})
            case _:
                self.answer({"profiles": []})

    def do_POST(self) -> None:
        body = self.body()
        if self.path == "/login":
            if body["password"] == PASSWORD:
                self.answer({"token": "t0k3n", "user": {"profile": {"id": "~Chair1"}}})
            else:
                self.answer({"name": "Error", "message": "Invalid username or password"}, 400)
        elif self.is_open():
            if self.path == "/profiles/search":
                result = [
                    profile
                    for profile in PROFILES
                    if profile["id"] in body.get("ids", ())
                    or {*profile.get("confirmedEmails", ())} & {*body.get("confirmedEmails", ())}
                ]
                self.answer({"profiles": result})
            else:
                assert self.path == "/edges/bulk"
                self.server.edges += body[self.server.lost :]
                self.answer(body)

    def do_DELETE(self) -> None:
        body = self.body()
        if self.is_open():
            gone = self.server.matching(body)
            self.server.edges = [edge for edge in self.server.edges if edge not in gone]
            self.answer({"status": "ok"})

    def notes(self, notes: list[dict[str, Any]], query: dict[str, str]) -> None:
        """Serve a page of notes, ordered by id, by `after` and `limit`."""
        if "content.venueid" in query:
            assert query["content.venueid"] == f"{VENUE}/Submission"
            result = SUBMISSIONS
        else:
            person = query["content.authorids"]
            ids = [(note, note["content"]["authorids"]) for note in notes]
            result = [
                note
                for note, people in ids
                if person in (people["value"] if isinstance(people, dict) else people)
            ]
        page = [note for note in result if note["id"] > query.get("after", "")]
        self.answer({"notes": page, "count": len(result)})

    def is_open(self) -> bool:
        if self.server.faults:
            self.fail(*self.server.faults.pop(0))
            return False
        if self.headers.get("Authorization") != "Bearer t0k3n":
            self.answer({"name": "ForbiddenError", "message": "Forbidden"}, 403)
            return False
        return True

    def body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(
        self, body: object, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.server.received.append((self.command, self.path))
        super().answer(body, status, {"Content-Type": "application/json"} | (headers or {}))
