"""The location of the report that `specter-graph report` creates."""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


def report_folder(folder: Path, database: Database) -> Path:
    """Return the folder of a database's report in the data folder."""
    [row] = database.read(statement("service/database").text)
    return folder / "reports" / sha256(row["id"].encode()).hexdigest()[:16]


def latest_report(folder: Path | None, database: Database) -> tuple[Path, datetime] | None:
    """Return the latest report and its time, or None."""
    page = report_folder(folder, database) / "report.html" if folder else None
    if page is None or not page.exists():
        return None
    return page, datetime.fromtimestamp(page.stat().st_mtime, UTC)
