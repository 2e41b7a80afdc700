"""Files of a small venue: archives of its reviewers and a table of its submissions."""

import json
from pathlib import Path

NOTES = {"~Ann1": {"1": "aaa", "2": "aaaa b"}, "~Bob1": {"3": "bbb", "4": "bbbb a"}}


def write_venue_files(folder: Path) -> dict[str, Path]:
    """Write archives of a reviewer of topic a and of one of b, and a submission on each topic."""
    archives = folder / "archives"
    archives.mkdir(exist_ok=True)
    for owner, titles in NOTES.items():
        notes = [{"id": key, "content": {"title": title}} for key, title in titles.items()]
        (archives / f"{owner}.jsonl").write_text("\n".join(map(json.dumps, notes)))
    (folder / "s.csv").write_text("id,title\n1,aa\n2,bb\n")
    return {"archives": archives, "submissions": folder / "s.csv"}
