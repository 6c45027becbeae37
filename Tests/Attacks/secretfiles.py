"""Attacks with files of passphrases and keys."""

import os

from harness import expect

BAD = {
    "UTF-16": (b"\xff\xfea\0b\0\n", "UTF-8"), "a byte that is not UTF-8": (b"secret\xff\n", "UTF-8"),
    "an overlong encoding": (b"\xc0\x80secret\n", "UTF-8"), "a surrogate": (b"\xed\xa0\x80secret\n", "UTF-8"),
    "a zero byte": (b"a\0b\n", "UTF-8"), "an empty first line": (b"\nabc\n", "empty"), "no bytes": (b"", "empty"),
}


def passphrases(attacker, seed):
    """Password files that could be misread are refused, and only the line breaks LF and CRLF end the secret."""
    store = attacker.store()
    for name, (data, words) in BAD.items():
        yield f"password file with {name}", lambda data=data, words=words: attacker.refuse(
            65, words, "backup", "create", "--store", store, "--to", attacker.path("b"), "--password-file",
            attacker.write("p", data))

    for name, separator in {"U+2028": "\u2028", "U+0085": "\u0085", "a vertical tab": "\v", "CR": "\r"}.items():
        def attack(separator=separator):
            repository = attacker.path("b")
            attacker.run("backup", "create", "--store", store, "--to", repository, "--password-file",
                         attacker.write("p", f"a long passphrase{separator}more\n".encode()))
            if os.path.exists(repository):
                attacker.refuse(78, "", "backup", "list", "--to", repository, "--password-file",
                                attacker.write("q", b"a long passphrase\n"))
        yield f"passphrase with {name}", attack


def keys(attacker, seed):
    """Different key files never open the same repository."""
    store, repository = attacker.store(), attacker.path("b")
    key = attacker.write("key", b"\xff" * 16)
    attacker.succeed("backup", "create", "--store", store, "--to", repository, "--key-file", key)
    others = {
        "another invalid byte": b"\xfe" * 16, "a replacement character": "\ufffd".encode() * 16, "a prefix": b"\xff" * 15,
        "a line feed": b"\xff" * 16 + b"\n", "a zero byte": b"\xff" * 16 + b"\0", "other bytes": bytes(range(16)),
    }
    for name, data in others.items():
        yield f"key file with {name}", lambda data=data: attacker.refuse(
            78, "", "backup", "list", "--to", repository, "--key-file", attacker.write("k", data))
    yield "password file with the bytes of the key", lambda: expect(
        attacker.run("backup", "list", "--to", repository, "--password-file", key).status != 0, "it opened")
    yield "the right key file", lambda: attacker.succeed("backup", "list", "--to", repository, "--key-file", key)
    for name, data in {"no bytes": b"", "too many bytes": b"x" * 70_000}.items():
        yield f"key file with {name}", lambda data=data: expect(
            attacker.run("backup", "create", "--store", store, "--to", attacker.path("c"), "--key-file",
                         attacker.write("k", data)).status != 0, "it was accepted")


ATTACKS = {"passphrases": passphrases, "keys": keys}
