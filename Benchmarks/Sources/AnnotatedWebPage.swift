package import Foundation

/// A web page whose main content is known, from a folder with `truth.jsonl` and `html/ID.html.gz`.
package struct AnnotatedWebPage: Sendable, Decodable {
    /// The name of the page's file.
    package var id: String
    /// The type of the page, such as `article`.
    package var type: String
    /// The main content.
    package var text: String

    /// Returns the pages of a folder, without their HTML.
    ///
    /// - Throws: `CocoaError`; `DecodingError`.
    package static func pages(in folder: URL) throws -> [AnnotatedWebPage] {
        try Data(contentsOf: folder.appendingPathComponent("truth.jsonl")).split(separator: 10)
            .map { try JSONDecoder().decode(AnnotatedWebPage.self, from: $0) }
    }

    /// Returns the HTML of the page.
    ///
    /// - Throws: `CocoaError` if the file cannot be decompressed.
    package func html(in folder: URL) throws -> Data {
        let file = folder.appendingPathComponent("html/\(id).html.gz")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: file.path])
        }
        return data
    }

    /// Returns the F1 of the words of an extracted text, as a multiset, from 0 to 1.
    package func agreement(with found: String) -> Double {
        let (found, expected) = (Self.words(found), Self.words(text))
        let common = found.reduce(0) { $0 + min($1.value, expected[$1.key] ?? 0) }
        let total = found.values.reduce(0, +) + expected.values.reduce(0, +)
        return total == 0 ? 1 : 2 * Double(common) / Double(total)
    }

    private static func words(_ text: String) -> [Substring: Int] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
