"""`serq completion`: print the script with which a shell completes serq's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from serq.cli.output import write

EPILOG = """\b
Examples:
  eval "$(serq completion bash)"                            in ~/.bashrc
  eval "$(serq completion zsh)"                             in ~/.zshrc
  serq completion fish > ~/.config/fish/completions/serq.fish"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that completes serq's commands, options and files in SHELL."""
    completion = get_completion_class(shell)
    assert completion is not None
    write(completion(ctx.find_root().command, {}, "serq", "_SERQ_COMPLETE").source() + "\n")
