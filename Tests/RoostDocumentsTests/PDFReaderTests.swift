import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of PDF documents, which `Fixtures/Documents/pdf.py` generates.
@Suite struct PDFReaderTests {
    @Test func `Properties become the title, author, keywords and dates`() async throws {
        let document = try await DocumentFixture.document("report.pdf")
        #expect(document.title == "Water in the garden")
        #expect(document.metadata["author"] == .string("Mara Lindqvist"))
        #expect(document.metadata["subject"] == nil, "a placeholder is no subject")
        #expect(document.tags == ["garden", "water"])
        #expect(document.createdAt == Date(timeIntervalSince1970: 946_684_800))
        #expect(document.location == EntryLocation(page: 1))
    }

    @Test func `Form feeds separate the pages`() async throws {
        let document = try await DocumentFixture.document("long.pdf")
        let pages = document.text.split(separator: "\u{C}")
        #expect(pages.count == 24)
        #expect(document.metadata["pages"] == .integer(24))
    }

    @Test func `Running headers and page numbers are removed`() async throws {
        let document = try await DocumentFixture.document("long.pdf")
        // Only the header of the first page stays, because it can be the title.
        #expect(document.text.ranges(of: "The garden book").count == 1)
        #expect(!document.text.contains("Mara Lindqvist"))
        #expect(!document.text.contains("\n12\n"))
        #expect(document.text.contains("Note 59."))
    }

    @Test func `A title that is also the running header stays on the first page`() {
        func pages(_ header: String, footer: String = "Bay Press") -> [String] {
            // A page with fewer lines is treated as a slide.
            zip("abcde", 1...).map { letter, number in
                let lines = (1...4).map { "Text \($0) of page \(letter)." }.joined(separator: "\n\n")
                return "\(header)\n\n\(lines)\n\n\(footer)\n\(number)"
            }
        }
        let cleaned = PDFPages(pages("Kelp growth in sheltered bays")).cleaned()
        #expect(cleaned[0].hasPrefix("Kelp growth in sheltered bays\n\nText 1 of page a."))
        #expect(cleaned.allSatisfy { !$0.contains("Press") })
        #expect(cleaned[1...].allSatisfy { !$0.contains("Kelp") && $0.hasPrefix("Text 1 of page") })
        // The first page can be an image.
        #expect(PDFPages([""] + pages("Kelp")).cleaned()[1].hasPrefix("Kelp"))
    }

    @Test func `Columns are read one after the other`() async throws {
        let text = try await DocumentFixture.document("columns.pdf").text
        #expect(
            text.contains("Compost that is two years old contains fewer seeds of weeds and smells of forest.")
        )
        let first = try #require(text.range(of: "Note 0. Mulch of dry grass"))
        let second = try #require(text.range(of: "Note 1. A barrel under the gutter"))
        #expect(first.lowerBound < second.lowerBound)
    }

    @Test func `Hyphens that break words are removed, and others are kept`() async throws {
        let text = try await DocumentFixture.document("hyphens.pdf").text
        #expect(text.contains("through the gutter into the barrel"))
        #expect(text.contains("a well-known way"))
        #expect(text.contains("pre- and postwar years"))
    }

    @Test func `Signs of Markdown in the text are escaped`() async throws {
        let text = try await DocumentFixture.document("contents.pdf").text
        #expect(text.hasPrefix("\\# not a heading"))
        #expect(text.contains("\n- first item of a list\n- second item"))
    }

    @Test func `A document with a password is reported as encrypted`() async throws {
        await #expect(throws: DocumentError.encrypted) {
            try await DocumentFixture.documents("encrypted.pdf")
        }
        let restricted = try await DocumentFixture.document("restricted.pdf")
        #expect(restricted.text.contains("A barrel under the gutter"))
    }

    @Test func `Scanned pages are reported`() async throws {
        await #expect { try await DocumentFixture.documents("scanned.pdf") } throws: { error in
            guard case DocumentError.noText(let reason) = error else { return false }
            return reason.contains("3 pages") && reason.contains("ocrmypdf")
        }
        let partly = try await DocumentFixture.document("partly-scanned.pdf")
        #expect(partly.unreadParts == ["pages 1, 3: no text; possibly scanned images"])
        #expect(partly.text.split(separator: "\u{C}", omittingEmptySubsequences: false).count == 3)
    }

    @Test(arguments: ["truncated.pdf", "without-table.pdf", "empty.pdf", "not-a.pdf"])
    func `Damaged files are reported as damaged`(name: String) async throws {
        let input = try DocumentFixture.input(name)
        await #expect { try await PDFReader().read(input, as: PDFReader.type) } throws: {
            if case DocumentError.damaged = $0 { true } else { false }
        }
    }

    @Test func `A program that exceeds the time or the output is ended`() async throws {
        var input = try DocumentFixture.input("long.pdf")
        input.limits.maximumTime = .zero
        await #expect(throws: DocumentError.self) { try await PDFReader().read(input, as: PDFReader.type) }
        input.limits.maximumTime = .seconds(60)
        input.limits.maximumTextBytes = 1000
        await #expect { try await PDFReader().read(input, as: PDFReader.type) } throws: {
            if case DocumentError.limitExceeded = $0 { true } else { false }
        }
    }

    @Test func `A canceled task ends the program`() async throws {
        let input = try DocumentFixture.input("long.pdf")
        let task = Task { try await PDFReader().read(input, as: PDFReader.type) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        ("De\u{301}finition", "D\u{E9}finition"),
        ("Marti\u{301}n, Mart\u{131}\u{301}n", "Mart\u{ED}n, Mart\u{ED}n"),
        ("o\u{FB03}ce e\u{300}", "office \u{E8}"), ("y\u{131}ld\u{131}z", "y\u{131}ld\u{131}z"),
    ])
    func `Letters and their accents are one character`(text: String, expected: String) {
        // Texts that differ only in this are equal as strings.
        #expect(Array(PDFWriting.normalized(text).utf8) == Array(expected.utf8))
    }

    @Test func `No temporary files remain`() async throws {
        func folders() throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
            return Set(names.filter { $0.hasPrefix("roost-document-") })
        }
        let before = try folders()
        _ = try await DocumentFixture.document("plain.pdf")
        // Other tests run at the same time; their folders disappear too.
        for _ in 0..<100 where !(try folders().subtracting(before).isEmpty) {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try folders().subtracting(before).isEmpty)
    }
}
