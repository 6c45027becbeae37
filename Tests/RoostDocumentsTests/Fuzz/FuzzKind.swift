import Foundation

@testable import RoostDocuments

/// A kind of file for the tests with mutated documents: small files that contain the constructs of a format,
/// and the parts of its syntax.
struct FuzzKind: Sendable, CustomStringConvertible {
    /// A file, before it is mutated.
    enum Seed: Sendable {
        /// The bytes of a file.
        case file(Data)
        /// The parts of a ZIP archive.
        case archive([(name: String, data: Data)])
    }

    /// The name of the kind, such as `docx`.
    let name: String
    /// The names that files have, which select their reader and type. Mutations use them in turn.
    let fileNames: [String]
    /// The files that are mutated.
    let seeds: [Seed]
    /// The parts of the syntax that are inserted, repeated and nested.
    let tokens: [[UInt8]]

    /// Creates a kind with the seeds in the folder `Fixtures/Documents/fuzz/NAME`. There, each folder contains
    /// the parts of an archive. They are mutated before they are put into the archive, because most mutations
    /// of an archive only make it unreadable.
    init(_ name: String, _ fileNames: [String], seeds: [Seed] = [], tokens: [String]) {
        self.name = name
        self.fileNames = fileNames
        let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent("fuzz/" + name)
        self.seeds = seeds + Self.contents(of: folder).compactMap(Self.seed)
        self.tokens = (tokens + FuzzKind.commonTokens).map { Array($0.utf8) }
    }

    /// Returns the files and folders in a folder, in the order of their names.
    static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }

    /// Returns a file, or the files in a folder as the parts of an archive.
    static func seed(_ file: URL) -> Seed? {
        if let data = try? Data(contentsOf: file) { return .file(data) }
        let names = FileManager.default.enumerator(atPath: file.path)?.compactMap { $0 as? String } ?? []
        return .archive(
            names.sorted().compactMap { name in
                (try? Data(contentsOf: file.appendingPathComponent(name))).map { (name, $0) }
            })
    }

    var description: String { name }

    /// The readers that can be needed. Feeds are only read from the web, so they are last.
    static let readers = DocumentReaders(DocumentReaders.standard.readers + [FeedReader()])

    /// Characters that readers of many formats treat in special ways.
    private static let commonTokens = [
        "\u{0}", "\u{FEFF}", "\u{2028}", "\u{301}", "\u{202E}", "😀", "é", "\t", "\r", "\r\n", "\n", "\n\n",
        "    ", " ", "|", "-", "_", "*", "`", "\"", "'", "\\", "[", "]", "(", ")", "{", "}", "<", ">", "&",
        "#", "%", ":", "/", "=", "99999999999999999999", "-1", "9223372036854775807", "1e308", "a", "Ab. ",
    ]

    /// Reads a file with the reader that supports it, and checks the structure of its text.
    ///
    /// - Returns: A rule that the result violates; `nil` if there is none, or if the file cannot be read.
    func defect(of input: DocumentInput) async throws -> String? {
        if name == FuzzKind.pdfText.name {
            return Self.defect(ofPDFText: String(decoding: input.data, as: UTF8.self))
        }
        guard let match = Self.readers.match(input) else { return nil }
        let documents: [Document]
        do { documents = try await match.reader.read(input, as: match.type) } catch is DocumentError {
            // The expected result for many damaged files.
            return nil
        }
        for document in documents {
            if let defect = FuzzRules.defect(of: document.text, format: document.format) { return defect }
            if document.tags.contains(where: \.isEmpty) { return "empty tag" }
        }
        return nil
    }

    /// Reads a text as the output of the programs that read PDF documents.
    private static func defect(ofPDFText text: String) -> String? {
        let pages = text.split(separator: "\u{C}", omittingEmptySubsequences: false).map(String.init)
        _ = PDFProperties(pages.first ?? "")
        _ = PDFWriting.needsPositions(Data(text.utf8))
        return FuzzRules.defect(of: PDFPages(pages).cleaned().joined(separator: "\n\n"), format: .markdown)
    }
}
