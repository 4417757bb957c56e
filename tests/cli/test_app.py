import re
from importlib.metadata import version

import pytest

import fastmcts
from tests.helpers.terminal import invoke


def test_games_lists_every_game_with_its_options() -> None:
    code, output = invoke("games")
    assert code == 0
    assert all(name in output for name in fastmcts.registered_games())
    assert "rows=6" in output


def test_the_version_is_that_of_the_package() -> None:
    assert invoke("--version") == (0, version("fastmcts-numba") + "\n")


@pytest.mark.parametrize("command", ["search", "play", "match", "warmup"])
def test_help_teaches_with_examples(command: str) -> None:
    code, output = invoke(command, "--help")
    examples = re.findall(rf"fastmcts {command} [a-z_]+", output)
    assert code == 0
    assert len(examples) >= 3
    assert "path/to/file.py:ClassName" in re.sub(r"[\s│]+", " ", output).replace(": ClassName", ":ClassName")
