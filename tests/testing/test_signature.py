"""A change of behaviour is always deliberate: it changes the number in signature.txt."""

from pathlib import Path

from tests.subprocesses import REPOSITORY, run_python

FILE = REPOSITORY / "tests" / "signature.txt"


def test_the_signature_is_the_recorded_one(tmp_path: Path) -> None:
    # Without the JIT, which gives the same and need not compile every combination.
    code = "import json; from fastmcts.testing import signature; print(json.dumps(signature()))"
    signature = run_python(code, tmp_path, NUMBA_DISABLE_JIT="1")
    assert signature == FILE.read_text().strip(), (
        f"the behaviour of some game or strategy changed; if that was the intention, write {signature} to {FILE.name}"
    )
