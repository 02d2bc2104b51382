"""The commands of `repro`, and how arguments reach them.

Owns the table of commands with their one-line helps. A command's module is loaded only when
that command is called, so `repro --help` loads none of them. Each module in this folder
exposes one function of its command's name, typed for typer, that returns an exit code.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from repro._version import __version__
from repro.cli.exits import Exit
from repro.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMANDS: dict[str, str] = {
    "check": "Audit a search: is its answer the same whatever order its jobs finish in?",
    "run": "Run a search once and write its outcome to a file.",
    "diff": "Compare two outcomes: what was lost, gained, swapped or reordered.",
    "ranking": "Judge a ranking: which ranks are settled, which drawn among equals.",
    "report": "Show the result of an earlier check, in any of the formats.",
    "probes": "List and validate the searches that can be audited.",
    "doctor": "Say what this machine can audit, and what stands in the way.",
}

_NAME = "repro"
_COMPLETION = "_REPRO_COMPLETE"


class _Lazy(TyperCommand):
    """A command known by name and short help until its arguments are to be read."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - typer's own type
        return load(str(self.name)).make_context(*args, **kwargs)


class _Commands(TyperGroup):
    """The group of all commands, filled from the table."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name, short_help in COMMANDS.items():
            self.add_command(_Lazy(name, short_help=short_help))


app = typer.Typer(cls=_Commands, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> int:
    """Audit whether a design-space search gives the same answer twice."""
    if version:
        typer.echo(f"{_NAME} {__version__}")
        raise typer.Exit(Exit.HOLDS)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), err=True)
        return Exit.USAGE
    return Exit.HOLDS


def load(name: str) -> TyperCommand:
    """Return the command of that name, with its options, ready to be called."""
    function: Callable[..., int] = getattr(import_module(f"repro.cli.{name}"), name)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, short_help=COMMANDS[name])(function)
    return cast("TyperCommand", get_command(single))


def run(args: Sequence[str]) -> int:
    """Parse the arguments, run the command they name and return its exit code.

    Raises:
        UsageError: The arguments name no command or don't fit it.
    """
    command = get_command(app)
    if _COMPLETION in os.environ:
        command.main(args=list(args), prog_name=_NAME)
    try:
        with command.make_context(_NAME, list(args)) as ctx:
            return int(command.invoke(ctx) or Exit.HOLDS)
    except typer.Exit as left:
        return left.exit_code
    except typer.TyperException as wrong:
        raise _usage(wrong) from wrong


def _usage(wrong: typer.TyperException) -> UsageError:
    """Say what is wrong with the arguments the way every other error is said."""
    ctx = getattr(wrong, "ctx", None)
    path = ctx.command_path if ctx else _NAME
    return UsageError(wrong.format_message(), where=path, do=f"see `{path} --help`")
