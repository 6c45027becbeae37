import Foundation
import Testing

@testable import RoostDocuments

/// Tests of source code and data in text formats.
@Suite struct CodeReaderTests {
    private static func sections(_ code: String) -> [([String], String)] {
        let bytes = Array(code.utf8)
        return TextStructure(of: code, format: .code).sections.map {
            ($0.headings, String(decoding: bytes[$0.range], as: UTF8.self))
        }
    }

    @Test func `Sections begin after blank lines, and have the lines above them as headings`() {
        let code = """
            import Foundation

            /// A barrel.
            struct Barrel {
                var litres = 0

                /// Adds water.
                mutating func fill(_ amount: Int) {
                    litres += amount

                    print(litres)
                }
            }

            func main() {
                print(1)
            }
            """
        let sections = Self.sections(code)
        #expect(
            sections.map(\.0) == [
                [], ["struct Barrel"], ["struct Barrel", "mutating func fill(_ amount: Int)"],
                ["func main()"],
            ])
        #expect(sections[2].1.hasPrefix("    /// Adds water.\n") && sections[2].1.hasSuffix("    }\n}\n\n"))
        #expect(sections.map(\.1).joined() == code)
    }

    @Test func `Indentation is sufficient`() {
        let code = """
            class Barrel:
                def fill(self, amount):
                    self.litres += amount

                def empty(self):
                    self.litres = 0

            LIMIT = 3
            """
        #expect(
            Self.sections(code).map(\.0) == [
                ["class Barrel"], ["class Barrel", "def empty(self)"], [],
            ])
    }

    @Test(arguments: ["a.json", "a.yaml", "a.toml", "a.xml"])
    func `Data is stored as written`(name: String) async throws {
        let document = try await DocumentFixture.document("{\"a\": [1,\n  2]}\n", name: name)
        #expect(document.text == "{\"a\": [1,\n  2]}\n")
        #expect(document.title == name && document.format == .code)
    }

    @Test func `Generated code is refused, and data in one line is not`() async throws {
        let line = String(repeating: "a=1;", count: 1000)
        await #expect(throws: DocumentError.self) { try await DocumentFixture.document(line, name: "a.js") }
        #expect(try await DocumentFixture.document(line, name: "a.json").text == line)
    }

    @Test func `A script without an extension is recognized`() {
        let script = DocumentInput(data: Data("#!/usr/bin/env python3\nx = 1\n".utf8), path: "/bin/run")
        #expect(DocumentReaders.standard.match(script)?.type.name == "code")
    }

    @Test(arguments: ["a {\n", "    ", "\n\n a\n", "\t", "{\n\n", "a\n b\n\n"])
    func `Repeated code is read in linear time`(unit: String) {
        let code = String(repeating: unit, count: 40_000)
        let start = ReaderDetailTests.threadSeconds()
        #expect(TextStructure(of: code, format: .code).sections.last?.range.upperBound == code.utf8.count)
        #expect(ReaderDetailTests.threadSeconds() - start < 10)
    }
}
