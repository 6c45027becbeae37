import Foundation
import Testing

@testable import RoostDocuments

@Suite struct EncodingTests {
    /// A text in one of the encodings of `Fixtures/Documents/encodings.py`.
    struct Sample: Sendable, CustomTestStringConvertible {
        var language, encoding: String
        /// The text with the encoding, and the same text in UTF-8.
        var data: Data
        var text: String

        var testDescription: String { "\(language) in \(encoding)" }

        /// Returns the parts of the sample with a number of words, or a number of characters of languages
        /// without spaces, that contain letters outside of ASCII.
        func parts(words: Int, characters: Int) -> [(data: Data, text: String)] {
            let separator = Data([0x20])
            if text.contains(" ") {
                let texts = text.split(separator: " ").map(String.init)
                let parts = data.split(separator: 0x20)
                return stride(from: 0, through: texts.count - words, by: 3).map { start in
                    let range = start..<(start + words)
                    return (
                        Data(parts[range].joined(separator: separator)),
                        texts[range].joined(separator: " ")
                    )
                }.filter { $0.data.contains { $0 >= 0x80 } }
            }
            // All characters of these texts have two bytes.
            let scalars = Array(text)
            return stride(from: 0, through: scalars.count - characters, by: 5).map { start in
                let from = data.startIndex + 2 * start
                return (
                    data.subdata(in: from..<(from + 2 * characters)),
                    String(scalars[start..<(start + characters)])
                )
            }
        }
    }

    static let samples: [Sample] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: DocumentFixture.folder.path)) ?? []
        let names = files.filter { $0.hasPrefix("encoding-") }.map { $0.dropFirst(9).dropLast(4) }.sorted()
        func contents(_ name: Substring) -> Data {
            let file = DocumentFixture.folder.appendingPathComponent("encoding-\(name).txt")
            return ((try? Data(contentsOf: file)) ?? Data()).dropLast()
        }
        return names.flatMap { language in
            names.filter { $0.hasPrefix(language + "-") }.map { name in
                Sample(
                    language: String(language), encoding: String(name.dropFirst(language.count + 1)),
                    data: contents(name), text: String(decoding: contents(language), as: UTF8.self))
            }
        }
    }()

    @Test(arguments: samples)
    func `A text is decoded without a declaration`(sample: Sample) throws {
        let decoded = try #require(TextDecoder.decode(sample.data))
        #expect(decoded.text == sample.text)
        #expect(decoded.encodingName != nil)
    }

    @Test func `Parts of texts are decoded or refused, and hardly ever decoded wrongly`() {
        // Measured: 96.8% right and 0.8% wrong with 10 words, all right with 50.
        for (words, minimumRight, maximumWrong) in [(10, 0.94, 0.02), (50, 1.0, 0.0)] {
            var (right, wrong, all) = (0, 0, 0)
            for part in Self.samples.flatMap({ $0.parts(words: words, characters: words * 17 / 10) }) {
                let text = TextDecoder.decode(part.data)?.text
                all += 1
                if text == part.text { right += 1 } else if text != nil { wrong += 1 }
            }
            #expect(all > 100)
            #expect(Double(right) >= minimumRight * Double(all), "\(right) of \(all) with \(words) words")
            #expect(Double(wrong) <= maximumWrong * Double(all), "\(wrong) of \(all) with \(words) words")
        }
    }

    @Test(arguments: [
        ("①駅 ②公園へ行く", "h0CJdyCHQYz2iYCC1o1zgq0="),
        ("㈱港の髙橋さんと山﨑さん", "h4qNYILM7uCLtIKzgvGCxo5S7ZWCs4Lx"),
        ("氏名,年齢\n髙野,41\nサトウ,7\n", "joGWvCyUTpfuCu7gluwsNDEKg1SDZ4NFLDcK"),
        (
            "髙野一郎,東京都千代田区丸之内\n山﨑花子,大阪市北区㈱ネジ\n",
            "7uCW7IjqmFksk4yLnpNzkOeR45Nji+aK25RWk+AKjlLtlYnUjnEskeWN445zlmuL5oeKg2yDVwo="
        ),
        ("№5 のネジは ㎜ で測る", "h4I1IILMg2yDV4LNIIdvIILFkaqC6Q=="),
    ])
    func `The characters that Microsoft added to Shift JIS are decoded`(text: String, data: String) throws {
        #expect(TextDecoder.decode(try #require(Data(base64Encoded: data)))?.text == text)
    }

    @Test(arguments: [
        ("Zo\u{C3}\u{AB} m\u{C3}\u{BC}de", "Zoë müde"), ("\u{E2}\u{80}\u{9C}a\u{E2}\u{80}\u{9D}", "“a”"),
        ("â€œaâ€\u{9D} Ã¼", "“a” ü"), ("ðŸ˜€ Ã©", "😀 é"),
        // Ordinary texts, and one about this fault
        ("naïve café", nil), ("Ã", nil), ("é becomes Ã© and Ã¨", nil), ("Ã©", nil), ("“a”", nil),
        ("日本 Ã© Ã©", nil),
    ])
    func `UTF-8 that was read as Latin-1 is repaired only if the whole text is`(
        text: String, repaired: String?
    ) throws {
        let decoded = try #require(TextDecoder.decode(Data(text.utf8)))
        #expect(decoded.text == repaired ?? text)
        #expect((decoded.encodingName != nil) == (repaired != nil))
    }

    @Test func `A repair is reported`() async throws {
        let input = DocumentInput(data: Data("Zo\u{C3}\u{AB} m\u{C3}\u{BC}de".utf8), path: "a.md")
        #expect(
            try await MarkdownReader().read(input, as: MarkdownReader.type).notices == [LatinRepair.notice])
    }

    @Test func `Bytes that are invalid in the encoding of the text are refused`() throws {
        let sample = try #require(Self.samples.first { $0.encoding == "euc-jp" })
        #expect(TextDecoder.decode(sample.data + [0xA4]) == nil)
        #expect(TextDecoder.decode(sample.data + [0x00]) == nil)
    }

    @Test func `A byte far behind many lines of ASCII determines the encoding`() throws {
        let sample = try #require(Self.samples.first { $0.encoding == "koi8-r" })
        let lines = Data(String(repeating: "0123456789 abc\n", count: 40_000).utf8)
        #expect(TextDecoder.decode(lines + sample.data)?.text.hasSuffix(sample.text) == true)
    }

    @Test(arguments: samples.filter { !["cp866", "iso8859-5"].contains($0.encoding) })
    func `A page without a declaration is decoded by its text`(sample: Sample) async throws {
        let head =
            "<html><head><style>p { color: red }</style><script>var a = '<p>';</script></head><body><p>"
        let input = DocumentInput(
            data: Data(head.utf8) + sample.data + Data("</p></body></html>".utf8), path: "a.html")
        let document = try #require(try await HTMLReader().read(input, as: HTMLReader.type).documents.first)
        #expect(document.text.filter { !$0.isWhitespace } == sample.text.filter { !$0.isWhitespace })
    }

    @Test func `A declaration wins if the bytes are valid in it`() async throws {
        let polish = try #require(Self.samples.first { $0.language == "pl" && $0.encoding == "iso8859-2" })
        func page(_ charset: String) async throws -> String {
            let data = Data("<meta charset=\(charset)><p>".utf8) + polish.data
            let documents = try await HTMLReader().read(
                DocumentInput(data: data, path: "a.html"), as: HTMLReader.type
            ).documents
            return try #require(documents.first).text
        }
        #expect(try await page("iso-8859-2").contains("dziesięciu krzaków"))
        #expect(try await page("iso-8859-1").contains("dziesiêciu krzaków"))
        #expect(try await page("utf-8").contains("dziesięciu krzaków"))
        #expect(try await page("euc-jp").contains("dziesięciu krzaków"))
    }

    @Test func `Messages without a declaration are decoded`() async throws {
        let russian = try #require(Self.samples.first { $0.language == "ru" && $0.encoding == "koi8-r" })
        var data = Data("From: a@example.org\nContent-Transfer-Encoding: 8bit\n\n".utf8)
        data += russian.data + Data("\n".utf8)
        let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: "a.eml"))
        #expect(documents.first?.text == russian.text)
    }

    @Test func `The declaration within a page of a message is used`() async throws {
        let polish = try #require(Self.samples.first { $0.language == "pl" && $0.encoding == "iso8859-2" })
        let word = Data([0x62, 0xB1, 0x6B])
        let head = "Subject: a\nContent-Type: text/html\nContent-Transfer-Encoding: 8bit\n\n"
        let meta = "<html><head><meta charset='iso-8859-2'></head><body><p>"
        for text in [word, polish.data] {
            let data = Data((head + meta).utf8) + text + Data("</p></body></html>\n".utf8)
            let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: "a.eml"))
            #expect(documents.first?.text == (text == word ? "bąk" : polish.text))
        }
    }

    @Test(arguments: [
        ("# Caf\u{E9}\r\rone\rtwo\r", "# Café\n\none\ntwo\n"), ("a\r\nb\rc\r\n", "a\r\nb\rc\r\n"),
        ("a\rb\n", "a\rb\n"), ("one line", "one line"),
    ]) func `Carriage returns that alone end lines become line feeds`(text: String, expected: String) {
        for encoding in [String.Encoding.utf8, .utf16] {
            let data = text.data(using: encoding) ?? Data()
            #expect(!data.isEmpty && TextDecoder.decode(data)?.text == expected)
        }
    }
}
