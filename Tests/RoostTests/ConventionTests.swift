import Foundation
import Testing

/// Conventions that every source file follows.
struct TidyTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let files: [String] = {
        let folder = root.appendingPathComponent("Sources").path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted()
    }()

    @Test(arguments: files) func `a source file follows the conventions`(file: String) throws {
        let url = Self.root.appendingPathComponent("Sources/\(file)")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        #expect(lines.count <= 401)
        for (number, line) in lines.enumerated() {
            #expect(!line.contains("FIX" + "ME") && !line.contains("TO" + "DO"), "line \(number + 1)")
            if !file.hasPrefix("RoostCLI/") {
                #expect(!line.trimmingCharacters(in: .whitespaces).hasPrefix("print("), "line \(number + 1)")
            }
            if line.contains("@unchecked Sendable") {
                let before = lines[max(0, number - 4)..<number]
                let hasReason = before.contains { $0.lowercased().contains("unchecked because") }
                #expect(hasReason, "line \(number + 1)")
            }
        }
    }
}

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

    /// The lines of the declarations and extensions of a type in `Sources/Roost`.
    private static func lines(of type: String) throws -> [Substring] {
        var lines: [Substring] = []
        for file in try TidyTests.files where file.hasPrefix("Roost/") {
            var isInside = false
            for line in try text("Sources/" + file).split(separator: "\n") {
                if line.first?.isLetter == true {
                    isInside = line.contains(try Regex("(struct|extension) \(type)\\b(?!\\.)"))
                } else if isInside {
                    lines.append(line)
                }
            }
        }
        return lines
    }

    @Test func `the facade has at most 30 public members`() throws {
        // Overloads are one member. Deeper lines belong to nested types.
        let names = try Self.lines(of: "KnowledgeStore").compactMap {
            try? #/^    public (?:static )?(?:let|var|func|struct|enum)? ?(\w+)/#.prefixMatch(in: $0)?.1
        }
        #expect((20...30).contains(Set(names).count), "\(Set(names).sorted())")
    }

    @Test func `a program that imports Roost gets only the modules that its signatures name`() throws {
        let exported = try Self.text("Sources/Roost/Exports.swift")
            .matches(of: /@_exported import (\w+)/).map { String($0.1) }
        let sources = try TidyTests.files.filter { $0.hasPrefix("Roost/") }
            .map { try Self.text("Sources/" + $0) }.joined()
        let named = Set(sources.matches(of: /(?m)^public import (\w+)/).map { String($0.1) })
        #expect(!exported.isEmpty && Set(exported).isSubset(of: named), "\(exported)")
    }
}
