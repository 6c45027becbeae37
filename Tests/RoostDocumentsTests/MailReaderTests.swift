import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of messages and mailboxes, which `Fixtures/Documents/mail.py` generates.
@Suite struct MailReaderTests {
    @Test func `Headers become the title, date and metadata`() async throws {
        let document = try await DocumentFixture.document("reply.eml")
        #expect(document.title == "Re: Wasser für den Garten")
        #expect(document.metadata["from"] == .string("Mara Lindqvist <mara@example.org>"))
        #expect(
            document.metadata["to"]
                == .array([.string("Jörg Weiß <joerg@example.org>"), .string("garden@example.org")]))
        #expect(document.metadata["message-id"] == .string("2@example.org"))
        #expect(document.metadata["in-reply-to"] == .string("1@example.org"))
        #expect(document.metadata["thread"] == .string("0@example.org"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_741_941_000))
        #expect(document.updatedAt == document.createdAt)
        #expect(document.format == .mail)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `Adjacent encoded words are one text, even if each has padding`(lineEnd: String) async throws {
        let mail = [
            "Subject: =?utf-8?B?R3LDvA==?=", " =?UTF-8?B?w59l?= =?utf-8?Q?_!?=", "From: a@b.org", "", "Text",
        ]
        let document = try await DocumentFixture.document(mail.joined(separator: lineEnd), name: "a.eml")
        #expect(document.title == "Grüße !")
    }

    @Test func `The text of a message whose boundary is missing is read`() async throws {
        let mail =
            "From: a@b.org\nSubject: S\nContent-Type: multipart/mixed; boundary=x\n\nThe heron\n--y\nis back\n"
        let document = try await DocumentFixture.document(mail, name: "a.eml")
        #expect(document.text.contains("The heron") && document.unreadParts.count == 1)
    }

    @Test func `Quotations and the signature are hidden`() async throws {
        let document = try await DocumentFixture.document("reply.eml")
        let structure = TextStructure(of: document.text, format: document.format)
        let bytes = Array(document.text.utf8)
        let hidden = structure.hiddenParts.map { part in
            (part.kind, String(decoding: bytes[part.range], as: UTF8.self))
        }
        #expect(hidden.map(\.0) == [.quotation, .signature])
        #expect(hidden[0].1.hasPrefix("On Thu, 13 Mar 2025") && hidden[0].1.hasSuffix("> I forgot.\n"))
        #expect(hidden[1].1.hasPrefix("-- \nMara Lindqvist"))
    }

    @Test func `A message that only quotes another one is not hidden`() {
        let structure = TextStructure(of: "Am 1.2.2025 schrieb A:\n> one\n> two\n", format: .mail)
        #expect(structure.hiddenParts.isEmpty)
        #expect(TextStructure(of: "> one\n> two\n", format: .mail).hiddenParts.isEmpty)
        let original = TextStructure(of: "Yes.\n\n-----Original Message-----\nFrom: B\nText", format: .mail)
        #expect(original.hiddenParts == [TextStructure.HiddenPart(kind: .quotation, range: 6..<45)])
    }

    @Test(arguments: [
        "FYI\n\n-------- Forwarded Message --------\nFrom: A\n\nThe bolts are corroded.\n",
        "FYI\n\n-------- Weitergeleitete Nachricht --------\nVon: A\n\nThe bolts are corroded.\n",
        "FYI\n\n---------- Forwarded message ---------\nFrom: A\n\nThe bolts are corroded.\n",
    ])
    func `A forwarded message is content`(text: String) {
        #expect(TextStructure(of: text, format: .mail).hiddenParts.isEmpty)
    }

    @Test func `An attribution with a date is hidden with its quotation`() {
        func hidden(_ text: String) -> String {
            let bytes = Array(text.utf8)
            return TextStructure(of: text, format: .mail).hiddenParts.map {
                String(decoding: bytes[$0.range], as: UTF8.self)
            }.joined()
        }
        let attribution = "On Mon, Mar 4, 2024 at 9:00 AM Carl Friedrich <\nc@e.org> wrote:\n"
        #expect(hidden("Agreed.\n\n\(attribution)\n> Old.\n") == attribution + "> Old.\n")
        #expect(hidden("My answer:\n> Old.\n") == "> Old.\n")
        #expect(hidden("\(attribution)\nNo quotation.\n> Old.\n") == "> Old.\n")
    }

    @Test(arguments: ["text/asciidoc; charset=utf-8", "text/x-markdown", "text", "Text; charset=us-ascii"])
    func `A body of another type of text is read`(type: String) async throws {
        let document = try await DocumentFixture.document(
            "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: \(type)\n\nThe rain.\n",
            name: "a.eml")
        #expect(document.text == "The rain." && document.unreadParts.isEmpty)
    }

    @Test(arguments: ["text/calendar", "text/x-amp-html", "text/x-patch; name=a.patch", "application/json"])
    func `A part that is not text for people is not read`(type: String) async throws {
        let document = try await DocumentFixture.document(
            "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: \(type)\n\nThe rain.\n",
            name: "a.eml")
        #expect(document.text == "S" && document.unreadParts.count == 1)
    }

    @Test func `Plain text is preferred, and attachments are listed`() async throws {
        let document = try await DocumentFixture.document("alternative.eml")
        #expect(document.text.hasPrefix("A barrel under the gutter"))
        #expect(!document.text.contains("<p>"))
        #expect(document.unreadParts == ["attachment plän.pdf (application/pdf)"])
        #expect(document.metadata["attachments"] == .array([.string("plän.pdf")]))
    }

    @Test func `HTML becomes Markdown`() async throws {
        let document = try await DocumentFixture.document("html.eml")
        #expect(
            document.text.hasPrefix("# Water\n\nFirst & second.\n\n- barrel\n- hose\n\n| Name | Litres |"))
        #expect(document.text.hasSuffix("See the page.\n\n> earlier text"))
        #expect(!document.text.contains("color"))
        #expect(document.links.first?.target == "https://example.org/a")
        #expect(document.links.first?.fragment == "b")
    }

    @Test func `The preview text of a message is not read, and its signature is hidden`() async throws {
        let preview = "<div style='max-height:0; display: none'>Preview</div>"
        let message =
            "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/html\n\n\(preview)"
            + "<table><tr><td>\(preview)Cell<p>The pump runs.</p></td></tr></table><div>-- <br></div><p>Ann</p>"
        let document = try await DocumentFixture.document(message, name: "a.eml")
        #expect(!document.text.contains("Preview") && document.text.contains("The pump runs."))
        let structure = TextStructure(of: document.text, format: document.format)
        let bytes = Array(document.text.utf8)
        let hidden = structure.hiddenParts.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        #expect(hidden == ["\\--\n\nAnn"])
    }

    @Test(arguments: [
        ("latin1.eml", "Grüße aus dem Gärtchen, süß und schön."), ("koi8.eml", "Бочка стоит под крышей."),
        ("shift-jis.eml", "雨どいの下の樽は"), ("right-to-left.eml", "חבית מתחת למרזב"),
        ("undeclared.eml", "Viele Grüße aus Köln"),
    ])
    func `Character sets are decoded`(name: String, text: String) async throws {
        #expect(try await DocumentFixture.document(name).text.contains(text))
    }

    @Test func `Forwarded messages are read`() async throws {
        let text = try await DocumentFixture.document("forwarded.eml").text
        #expect(
            text.hasPrefix("See below.\n\n---------- The barrel ----------\n\nThe lid keeps mosquitoes away"))
    }

    @Test func `An encrypted message is found by its subject`() async throws {
        let document = try await DocumentFixture.document("encrypted.eml")
        #expect(document.text == "Secret plan")
        #expect(document.unreadParts == ["the text is encrypted"])
    }

    @Test func `Deeply nested and truncated messages are read as far as possible`() async throws {
        let nested = try await DocumentFixture.document("nested.eml")
        #expect(nested.title == "Nested")
        #expect(nested.unreadParts.count == 1)
        let damaged = try await DocumentFixture.document("damaged.eml")
        #expect(damaged.title == "Two forms")
        await #expect(throws: DocumentError.self) { try await DocumentFixture.documents("empty.eml") }
    }

    @Test func `A mailbox contains one document for each message`() async throws {
        let documents = try await DocumentFixture.documents("archive.mbox")
        #expect(documents.map(\.key) == (20...24).map { "\($0)@example.org" } + ["20@example.org (2)"])
        #expect(documents.map(\.title).prefix(2) == ["Topic 0", "Topic 1"])
        #expect(documents[0].text.hasSuffix("\nFrom here on, a line begins with From."))
    }

    @Test func `A message is recognized by its header`() throws {
        let data = try DocumentFixture.input("reply.eml").data
        #expect(
            DocumentFixture.readers.match(DocumentInput(data: data, path: "cur/17:2,S"))?.type.name == "mail")
        let note = DocumentInput(data: Data("From: here\nDate: today\n\nText".utf8), path: "a.txt")
        #expect(DocumentFixture.readers.match(note)?.type.name == "text")
    }

    private static func mailbox(_ text: String) async throws -> DocumentContents {
        let input = DocumentInput(data: Data(text.utf8), path: "a.mbox")
        return try await MailReader().read(input, as: MailReader.mailbox)
    }

    private static func message(_ number: Int, _ body: String, line: String = "From a@example.org") -> String
    {
        "\(line) Tue Jul  5 18:44:0\(number) 2022\nFrom: a@example.org\nMessage-ID: <\(number)@x>\n\n\(body)\n\n"
    }

    @Test(arguments: [
        "From where I sit I see it.", "From Tuesday on, at 18:44, all is quiet.", "From a@example.org",
        ">From a@example.org Tue Jul  5 18:44:01 2022",
    ])
    func `A line of a text that begins with From ends no message`(line: String) async throws {
        let text = "Alpha.\n\n\(line)\nBravo."
        let contents = try await Self.mailbox(Self.message(1, text) + Self.message(2, "Charlie."))
        #expect(
            contents.documents.map(\.key) == ["1@x", "2@x"] && contents.faults.isEmpty && contents.isComplete)
        #expect(contents.documents[0].text == text.replacing(">From", with: "From"))
        #expect(contents.documents[1].text == "Charlie.")
    }

    @Test(arguments: ["From -", "From ", "From ann at example.org", "From 15@xxx", "From ???@???"])
    func `The messages of a mailbox follow lines with an address and a date`(line: String) async throws {
        let text = Self.message(1, "Alpha.") + Self.message(2, "Bravo.", line: line)
        for ending in ["\n", "\r\n"] {
            let contents = try await Self.mailbox(text.replacing("\n", with: ending))
            #expect(contents.documents.map(\.text) == ["Alpha.", "Bravo."], "\(line)")
        }
    }

    @Test func `A message that cannot be read is a fault with its position`() async throws {
        let damaged = "From a@example.org Tue Jul  5 18:44:01 2022\n\nno header\n\n"
        let contents = try await Self.mailbox(Self.message(1, "Alpha.") + damaged + Self.message(2, "Bravo."))
        #expect(contents.documents.map(\.text) == ["Alpha.", "Bravo."])
        #expect(
            contents.faults == [
                .init(position: "message 2 (line 8)", reason: "it contains no message with a header")
            ])
        await #expect(throws: DocumentError.self) { try await Self.mailbox(damaged) }
    }

    @Test func `A mailbox after a limit is not read to its end`() async throws {
        var input = DocumentInput(
            data: Data((1...5).map { Self.message($0, "Alpha.") }.joined().utf8), path: "a.mbox")
        input.limits.maximumParts = 3
        let contents = try await MailReader().read(input, as: MailReader.mailbox)
        #expect(contents.documents.count == 3 && contents.faults.count == 1 && !contents.isComplete)
    }
}
