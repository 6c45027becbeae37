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
