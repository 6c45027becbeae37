import Foundation
import Testing

/// Compares the path of a query in `Documentation/Architecture.md` with the sources.
@Suite struct ArchitectureTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: TidyTests.root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func section() throws -> Substring {
        let page = try text("Documentation/Architecture.md")
        let start = try #require(page.range(of: "## Query\n")).upperBound
        let end = try #require(page.range(of: "\n## ", range: start..<page.endIndex)).lowerBound
        return page[start..<end]
    }

    /// The stops, each with the functions and the source file.
    private static func stops() throws -> [(functions: [String], file: String)] {
        try section().split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            let columns = row.split(separator: "|")
            let functions = columns[0].prefix { $0 != ":" }.matches(of: /`(\w+)`/).map { String($0.1) }
            return (functions, String(columns[1].trimmingCharacters(in: CharacterSet(charactersIn: " `"))))
        }
    }

    @Test func `a query has at most 12 stops, each of which an earlier one calls`() throws {
        let stops = try Self.stops()
        #expect((8...12).contains(stops.count))
        var callers = ""
        for (functions, file) in stops {
            let source = try Self.text("Sources/" + file)
            for function in functions {
                #expect(source.contains("func \(function)("), "\(file) declares \(function)")
                // The program runs the command that the arguments name.
                guard !["main", "run"].contains(function) else { continue }
                #expect(callers.contains("\(function)(") || source.contains("\(function)("), "\(function)")
            }
            callers += source
        }
    }

    @Test(arguments: TidyTests.files.filter { !$0.hasPrefix("RoostDocuments/") })
    func `only readers recognize headings, code fences, links and front matter`(file: String) throws {
        let source = try Self.text("Sources/" + file)
        for sign in ["\"```", "\"~~~", "\"---\"", "\"+++\"", "\"](\"", "\"[[\"", "hasPrefix(\"# "] {
            #expect(!source.contains(sign), "\(sign)")
        }
    }

    @Test func `at most 20 types of values are between the stops`() throws {
        let text = try #require(
            try Self.section().split(separator: "\n\n").first { $0.hasPrefix("The values") })
        let types = text.matches(of: /`(\w+)`/).map { String($0.1) }
        #expect((8...20).contains(types.count))
        let sources = try TidyTests.files.map { try Self.text("Sources/" + $0) }.joined()
        for type in types {
            #expect(sources.contains(try Regex("(struct|enum|actor|class) \(type)\\b")), "\(type)")
        }
        // The steps name no other type of the module that is a value of theirs.
        for file in Set(try Self.stops().map(\.file)) where file.hasPrefix("Roost/Search/") {
            let source = try Self.text("Sources/" + file)
            let properties = source.matches(of: /(?m)^    (?:private )?let \w+: \[?(?:any )?(\w+)/).map {
                String($0.1)
            }
            let known =
                types + [
                    "KnowledgeStore", "StorageSnapshot", "Embedder", "PassageSplitter", "RowSet", "Bool",
                    "Float",
                ]
            #expect(Set(properties).isSubset(of: known), "\(file): \(properties)")
        }
    }
}
