"""`python -m fastmcts` and the `fastmcts` command."""

import sys


def main() -> None:
    """Run the command line, or say what it needs."""
    try:
        from fastmcts.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "click"):
            raise
        sys.exit('The command line needs typer and rich: install the extra "cli", pip install ".[cli]"')
    app()


if __name__ == "__main__":
    main()
