"""Types lines and the tab key in an interactive shell with a completion script, and prints each screen.

    python3 complete.py bash|zsh|fish SCRIPT (LINE EXPECTED)...

The shell runs in a pseudo-terminal, without the user's configuration. A screen is printed when it contains the
expected text, or after ten seconds. The exit status is 1 if a text was missing.
"""
import os
import pty
import re
import select
import sys
import time

COMMANDS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}
READY = "shell-is-ready"


def read(terminal, seconds, end):
    """Reads until the shell prints a text, but at most for some seconds."""
    output, limit = b"", time.time() + seconds
    while time.time() < limit:
        if not select.select([terminal], [], [], max(0, limit - time.time()))[0]:
            break
        try:
            output += os.read(terminal, 65536)
        except OSError:
            break
        # Shells ask a terminal for its properties and wait for the answer.
        if output.endswith(b"\x1b[c") or output.endswith(b"\x1b[0c"):
            os.write(terminal, b"\x1b[?6c")
        if end in plain(output):
            break
    return plain(output)


def plain(output):
    """Returns the text without escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r|\x07", "", output.decode("utf-8", "replace")).strip()


def main():
    shell, script, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", PS1="> ", INPUTRC="/dev/null")
        os.execvp(COMMANDS[shell][0], COMMANDS[shell])
    load = "source %s" % script
    if shell == "zsh":
        load = "autoload -U compinit; compinit -u -D; source %s; compdef _roost roost" % script
    # The marker is written in two parts, so that the echo of the line does not contain it.
    read(terminal, 2, ">")
    os.write(terminal, ("%s; echo shell-is'-ready'\n" % load).encode())
    read(terminal, 10, READY)
    missing = 0
    for line, expected in zip(lines[::2], lines[1::2]):
        os.write(terminal, (line + "\t").encode())
        screen = read(terminal, 10, expected)
        print(screen)
        missing |= expected not in screen
        # Control-U deletes the line.
        os.write(terminal, b"\x15")
    os.close(terminal)
    sys.exit(missing)


main()
