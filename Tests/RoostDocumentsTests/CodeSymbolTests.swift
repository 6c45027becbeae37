import Foundation
import RoostDocuments
import Testing

/// Compares the sections of source code with the declarations that tree-sitter finds.
///
/// `Benchmarks/Peers/code_symbols.py` writes the declarations of the files in `Fixtures/Documents/programs`
/// to `Fixtures/Documents/symbols.json`.
@Suite struct CodeSymbolTests {
    /// A declaration of at least three lines.
    private struct Symbol: Decodable {
        var name: String
        /// The line on which it begins, and the first line of the comments and attributes before it.
        var line, earliestLine: Int
    }

    private static let folder = DocumentFixture.folder.deletingLastPathComponent()

    /// The declarations that do not begin a section: a group of types, and a method with a computed name.
    private static let missing: Set = ["barrels.go: ", "barrels.js: [\"computed\" + 1]"]

    private static let symbols = Result {
        try JSONDecoder().decode(
            [String: [Symbol]].self,
            from: Data(contentsOf: folder.appendingPathComponent("symbols.json")))
    }

    /// The sections of a file with their first lines.
    private func sections(_ name: String) async throws -> [(name: String, line: Int)] {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent("programs/\(name)"))
        let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: name))
        let document = try #require(documents.first)
        let bytes = Array(document.text.utf8)
        return TextStructure(of: document.text, format: document.format).sections.compactMap { section in
            section.headings.last.map { heading in
                (heading, bytes[..<section.range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1)
            }
        }
    }

    private static func words(_ text: String) -> Set<Substring> {
        Set(text.lowercased()[...].split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }

    private static func isNamed(_ heading: String, _ name: String) -> Bool {
        !name.isEmpty && (heading.contains(name) || !words(heading).isDisjoint(with: words(name)))
    }

    @Test func `Sections begin at declarations and have their names`() async throws {
        var missing = Set<String>()
        let symbols = try Self.symbols.get()
        #expect(symbols.count == 30 && symbols.values.joined().count > 300)
        for (file, declarations) in symbols {
            let sections = try await sections(file)
            for symbol in declarations {
                let before = sections.filter { $0.line <= symbol.line }
                let starts = before.filter { $0.line >= symbol.earliestLine }
                // Adjacent declarations with the same name can be one section.
                let candidates = starts.isEmpty ? before.suffix(1) : starts[...]
                if candidates.contains(where: { Self.isNamed($0.name, symbol.name) }) { continue }
                if symbol.name.isEmpty && !starts.isEmpty { continue }
                missing.insert("\(file): \(symbol.name)")
            }
        }
        #expect(missing == Self.missing)
    }
}
