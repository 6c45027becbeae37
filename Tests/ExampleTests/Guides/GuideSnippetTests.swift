import Foundation
import Testing

/// Tests that the code in the guides is compiled: each line of it must be a line of a file of this target.
struct GuideSnippetTests {
    private static var root: URL {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func compiledLines() throws -> Set<String> {
        let folder = root.appendingPathComponent("Tests/ExampleTests")
        var compiled = Set<String>()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".swift") {
            let url = folder.appendingPathComponent(path)
            compiled.formUnion(lines(try String(contentsOf: url, encoding: .utf8)))
        }
        return compiled
    }

    private static func snippets(_ guide: String) -> [String] {
        guide.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// Names in code that needs a platform or a manifest, which this target cannot compile.
    private static let foreignNames = [
        "NSManagedObjectContext", "CoreDataSessionStorage", "executableTarget",
    ]

    private static let guides = [
        "Documentation/Guides/WritingAStorageProvider.md", "Documentation/Guides/ComposingChunkStorage.md",
        "Documentation/Guides/StoringConversations.md", "Documentation/Guides/ExtendingRoost.md",
        "Sources/Roost/Roost.docc/GettingStarted.md",
    ]

    @Test(arguments: guides)
    func `every line of code in a guide is compiled`(path: String) throws {
        let guide = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        let compiled = try Self.compiledLines()
        let snippets = Self.snippets(guide).filter { code in
            !Self.foreignNames.contains(where: code.contains)
        }
        #expect(snippets.count >= 2)
        for line in snippets.flatMap(Self.lines) where !line.isEmpty && !line.hasPrefix("//") {
            #expect(compiled.contains(line), "\(line)")
        }
    }

    @Test func `the last step of the tutorial is compiled`() throws {
        let folder = Self.root.appendingPathComponent("Sources/Roost/Roost.docc/Tutorials/Resources")
        let compiled = try Self.compiledLines()
        for number in 1...2 {
            let file = folder.appendingPathComponent("notes-\(number).swift")
            for line in Self.lines(try String(contentsOf: file, encoding: .utf8)) where !line.isEmpty {
                #expect(compiled.contains(line), "\(line)")
            }
        }
    }
}
