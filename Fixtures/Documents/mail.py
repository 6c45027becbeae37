"""Writes the messages and mailboxes among the fixtures.

Usage: mail.py FOLDER
"""

import mailbox
import sys
from email.message import EmailMessage
from pathlib import Path

from texts import HEBREW, JAPANESE, PARAGRAPHS

folder = Path(sys.argv[1])


def message(subject, body=None, number=1, **headers):
    result = EmailMessage()
    result["Subject"] = subject
    result["From"] = "Mara Lindqvist <mara@example.org>"
    result["To"] = "Jörg Weiß <joerg@example.org>, garden@example.org"
    result["Date"] = "Fri, 14 Mar 2025 09:30:00 +0100"
    result["Message-ID"] = f"<{number}@example.org>"
    for name, value in headers.items():
        result[name.replace("_", "-")] = value
    if body is not None:
        result.set_content(body)
    return result


def write(name, data):
    (folder / name).write_bytes(bytes(data))


reply = (
    "Hello Jörg,\n\n" + PARAGRAPHS[0] + "\n\nOn Thu, 13 Mar 2025 at 18:00, Jörg Weiß wrote:\n"
    "> How much water does the barrel hold?\n> I forgot.\n\nGreetings\nMara\n\n-- \nMara Lindqvist\nGarden office\n"
)
write("reply.eml", message("Re: Wasser für den Garten", reply, 2, In_Reply_To="<1@example.org>",
                           References="<0@example.org> <1@example.org>"))

alternative = message("Two forms", PARAGRAPHS[0], 3)
alternative.add_alternative(f"<html><body><p>{PARAGRAPHS[0]}</p></body></html>", subtype="html")
alternative.add_attachment(b"%PDF-1.4 not really", maintype="application", subtype="pdf", filename="plän.pdf")
write("alternative.eml", alternative)

rich = message("Only HTML", number=4)
rich.set_content(
    "<html><head><style>p { color: red }</style></head><body><h1>Water</h1><p>First &amp; second.</p>"
    "<ul><li>barrel</li><li>hose</li></ul><table><tr><th>Name</th><th>Litres</th></tr><tr><td>North</td>"
    "<td>200</td></tr></table><p>See <a href='https://example.org/a#b'>the page</a>.</p>"
    "<blockquote><p>earlier text</p></blockquote></body></html>", subtype="html")
write("html.eml", rich)

LAYOUT = """<html><head><title>x</title><style>p{}</style></head><body style="margin:0">
<div style="display:none;font-size:1px;max-height:0px;opacity:0;overflow:hidden">Preview words</div>
<div style="max-height:0; overflow: hidden">More preview &nbsp;&zwnj;&nbsp;&zwnj;</div>
<div>&#847;&zwnj;&nbsp;&#8199;&shy; &#847;&zwnj;&nbsp;&#8199;&shy;</div>
<!--[if mso]><table><tr><td width="600"><![endif]-->
<table role="presentation" width="100%"><tr><td align="center" style="font-size:0px">
 <table width="600"><tr><td><a href="https://e.org/view">View in browser</a></td></tr>
 <tr><td height="20" style="font-size:1px">&nbsp;</td></tr>
 <tr><td><h1>Garden news</h1></td></tr>
 <tr><td><table><tr><td width="290"><h2>Water</h2><p>The barrel is full.</p><p>Rain fell for a week.</p></td><td width="20">&nbsp;</td><td width="290"><h2>Soil</h2><p>Mulch keeps it wet.</p></td></tr></table></td></tr>
 <tr><td>&nbsp;</td></tr>
 <tr><td><table border="1"><tr><td>Barrel</td><td></td><td>Litres</td></tr><tr><td>North</td><td></td><td>200</td></tr><tr><td>South</td><td></td><td>310</td></tr></table></td></tr>
 <tr><td><table><tr><td>Total</td><td>&nbsp;</td><td align="right">EUR 12.50</td></tr></table></td></tr>
 <tr><td><table><tr><td><a href="https://e.org/buy">Order now</a></td></tr></table></td></tr>
 <tr><td><table><tr><td><img src="a.png" alt="Photo of a pump"></td><td><b>New pump</b><br>It is quiet.<p>Ask us.</p></td></tr><tr><td><img src="b.png" alt=""></td><td><b>Hose</b><p>It is long.</p></td></tr></table></td></tr>
 <tr><td style="font-size:11px">You receive this because you subscribed. <a href="https://e.org/u">Unsubscribe</a> | <a href="https://e.org/p">Preferences</a></td></tr>
 </table></td></tr></table>
<!--[if !mso]><!--><p>Only once</p><!--<![endif]-->
</body></html>
"""
newsletter = message("Garden news", number=5)
newsletter.set_content(LAYOUT, subtype="html")
write("layout.eml", newsletter)

for name, charset, text in [
    ("latin1.eml", "iso-8859-1", "Grüße aus dem Gärtchen, süß und schön."),
    ("shift-jis.eml", "shift_jis", "\n".join(JAPANESE)),
    ("right-to-left.eml", "utf-8", "\n".join(HEBREW)),
    ("koi8.eml", "koi8-r", "Бочка стоит под крышей."),
]:
    mail = message(text.split("\n")[0][:30], number=name)
    mail.set_content(text, charset=charset)
    write(name, mail)

flowed = message("Flowed", "This paragraph \ncontinues here. \n> quoted \n> text\n", 5)
flowed.set_param("format", "flowed")
write("flowed.eml", flowed)

# A declared set of ASCII with bytes of UTF-8, and a header that is not encoded.
write("undeclared.eml", b"From: a@example.org\r\nSubject: Gr\xc3\xbc\xc3\x9fe\r\nDate: Fri, 14 Mar 2025 09:30:00 +0100\r\n"
      b"Message-ID: <6@example.org>\r\n\r\nViele Gr\xc3\xbc\xc3\x9fe aus K\xc3\xb6ln\r\n")

forward = message("Fwd: barrel", "See below.", 7)
forward.add_attachment(message("The barrel", PARAGRAPHS[1], 8))
write("forwarded.eml", forward)

write("encrypted.eml", b"From: a@example.org\nSubject: Secret plan\nMessage-ID: <9@example.org>\nMIME-Version: 1.0\n"
      b"Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=x\n\n--x\n"
      b"Content-Type: application/pgp-encrypted\n\nVersion: 1\n\n--x\nContent-Type: application/octet-stream\n\n"
      b"-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n--x--\n")
write("empty.eml", b"")
write("damaged.eml", bytes(alternative)[:600])

nested = b"From: a@example.org\nSubject: Nested\nMessage-ID: <10@example.org>\nMIME-Version: 1.0\n"
for level in range(2000):
    nested += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level)
write("nested.eml", nested + b"Content-Type: text/plain\n\nthe innermost text\n")

path = folder / "archive.mbox"
path.unlink(missing_ok=True)
archive = mailbox.mbox(path)
for number in range(5):
    body = f"Message {number}. {PARAGRAPHS[number]}\nFrom here on, a line begins with From.\n"
    archive.add(message(f"Topic {number}", body, 20 + number))
archive.add(message("No id", "A message with the id of another one.", 20))
archive.flush()
archive.close()
path.write_bytes(path.read_bytes().replace(b"MAILER-DAEMON", b"mara@example.org"))
