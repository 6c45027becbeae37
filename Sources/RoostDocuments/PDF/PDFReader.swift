import Foundation
import RoostFiles
import RoostModel

/// Reads PDF documents with `pdftotext` and `pdfinfo` of Poppler.
///
/// Both are separate programs, because Poppler's license (GPL) does not permit linking it with this library.
/// They run with limits of time, memory and output.
public struct PDFReader: DocumentReader {
    /// The type of PDF documents.
    public static let type = DocumentType(
        name: "pdf", title: "PDF", extensions: ["pdf"], mediaTypes: ["application/pdf", "application/x-pdf"])

    public let version = 5

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        // Readers accept up to 1024 bytes before the signature (ISO 32000-1, annex H, note 13), but other
        // formats may contain the signature there; therefore only spaces and a byte order mark may precede.
        let start = input.data.prefix(64).drop {
            [0x20, 0x0A, 0x0D, 0x09, 0x00, 0xEF, 0xBB, 0xBF].contains($0)
        }
        return start.starts(with: "%PDF-".utf8) ? Self.type : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                try PDFExtraction(input: input, isCancelled: isCancelled).contents()
            }
        }
    }
}

struct PDFExtraction {
    let input: DocumentInput
    let isCancelled: () -> Bool

    func contents() throws -> DocumentContents {
        guard input.data.prefix(1024).range(of: Data("%PDF-".utf8)) != nil else {
            throw DocumentError.damaged(
                input.data.isEmpty
                    ? "the file is empty" : "it does not begin with the signature of a PDF file")
        }
        let (pdfinfo, pdftotext) = try (Self.program("pdfinfo"), Self.program("pdftotext"))
        let folder = try PrivateFolder()
        let file = try folder.write(input.data, to: "input.pdf")
        let runner = ProgramRunner(folder: folder, limits: input.limits, isCancelled: isCancelled)
        let deadline = ContinuousClock.now + input.limits.maximumTime
        let information = try runner.run(
            pdfinfo, ["-enc", "UTF-8", "-isodates", file], deadline: deadline, maximumOutput: 1 << 20)
        try check(information)
        let properties = PDFProperties(String(decoding: information.output, as: UTF8.self))
        // The order of the file is the reading order in nearly all documents, in columns too; the order that
        // `pdftotext` computes from positions mixes columns whose lines are at equal heights. The computed
        // order is better only for vertical writing and for writing from right to left.
        var text = try extract(runner, [pdftotext, "-raw", file], deadline)
        if PDFWriting.needsPositions(text.output) {
            text = try extract(runner, [pdftotext, file], deadline)
        }
        return DocumentContents([try document(text, properties)], isComplete: text.status == 0)
    }

    private func extract(
        _ runner: ProgramRunner, _ command: [String], _ deadline: ContinuousClock.Instant
    ) throws -> ProgramRunner.Result {
        let arguments = ["-enc", "UTF-8", "-eol", "unix"] + command.dropFirst() + ["-"]
        let result = try runner.run(
            command[0], arguments, deadline: deadline, maximumOutput: input.limits.maximumTextBytes)
        try check(result)
        return result
    }

    private static func program(_ name: String) throws -> String {
        if let path = ProgramRunner.path(of: name) { return path }
        throw DocumentError.missingProgram(
            "the program \(name), which reads PDF files, is not installed; install Poppler "
                + "(Debian and Ubuntu: apt install poppler-utils; macOS: brew install poppler)")
    }

    private func check(_ result: ProgramRunner.Result) throws {
        guard result.status != 0 else { return }
        if result.message.contains("Incorrect password") { throw DocumentError.encrypted }
        if result.message.contains("encrypt") && result.output.isEmpty { throw DocumentError.encrypted }
        if result.message.contains("memory") || result.message.contains("bad_alloc") {
            throw DocumentError.programLimitExceeded(
                "it needs more than \(input.limits.maximumProgramMemory >> 20) MB of memory")
        }
        // `pdftotext` may report an error after it has written the text of the readable pages.
        guard result.output.isEmpty else { return }
        throw DocumentError.damaged(Self.reason(result))
    }

    /// Returns the reason for the failure of a program: its last error message, or else its last message.
    private static func reason(_ result: ProgramRunner.Result) -> String {
        let lines = result.message.split(separator: "\n")
        let line = lines.last { $0.contains("Error") } ?? lines.last ?? ""
        let message = line.split(separator: ": ").last.map(String.init) ?? ""
        return message.isEmpty ? "the PDF file is damaged" : "the PDF file is damaged: \(message)"
    }

    private func document(_ result: ProgramRunner.Result, _ properties: PDFProperties) throws -> Document {
        var text = String(decoding: result.output, as: UTF8.self)
        // `pdftotext` ends each page with a form feed.
        if text.hasSuffix("\u{C}") { text.removeLast() }
        var pages = text.split(separator: "\u{C}", omittingEmptySubsequences: false).map(String.init)
        let count = max(properties.pages ?? pages.count, 1)
        if pages.count < count, count <= input.limits.maximumParts {
            pages += Array(repeating: "", count: count - pages.count)
        }
        let empty = pages.indices.filter { !pages[$0].contains { $0.isLetter || $0.isNumber } }
        guard empty.count < pages.count else { throw Self.missingText(pages.count, result) }
        var unread: [String] = []
        if !empty.isEmpty {
            let more = empty.count > 20 ? " and others" : ""
            let numbers = empty.prefix(20).map { String($0 + 1) }.joined(separator: ", ") + more
            unread.append(
                "\(empty.count == 1 ? "page" : "pages") \(numbers): no text; possibly scanned images")
        }
        if result.status != 0 {
            unread.append("the file is damaged; some of its text may be missing (\(Self.reason(result)))")
        }
        let cleaned = PDFPages(pages).cleaned()
        var document = Document(
            title: properties.title, text: cleaned.joined(separator: "\n\n\u{C}\n\n"),
            metadata: properties.metadata, tags: properties.keywords, createdAt: properties.createdAt,
            updatedAt: properties.updatedAt, location: EntryLocation(page: 1), unreadParts: unread)
        document.metadata["pages"] = .integer(Int64(count))
        return document
    }

    private static func missingText(_ pages: Int, _ result: ProgramRunner.Result) -> DocumentError {
        if result.status != 0 { return .damaged(reason(result)) }
        let subject = pages == 1 ? "its only page contains" : "its \(pages) pages contain"
        return .noText(
            "\(subject) no text; it is probably scanned: recognize its text first, for example with ocrmypdf")
    }
}

/// The properties of a PDF document as `pdfinfo` prints them.
struct PDFProperties {
    /// Values that programs set if the author states none.
    private static let placeholders: Set = ["unspecified", "(unspecified)", "anonymous", "(anonymous)"]

    private(set) var title: String?
    private(set) var keywords: [String] = []
    private(set) var metadata: [String: MetadataValue] = [:]
    private(set) var createdAt: Date?
    private(set) var updatedAt: Date?
    private(set) var pages: Int?

    /// Parses the output of `pdfinfo -isodates`: lines of a name, a colon and a value.
    init(_ output: String) {
        for line in output.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
            guard !value.isEmpty else { continue }
            switch line[..<colon] {
            case "Title": title = Self.isMeaningful(title: value) ? value : nil
            case "Author" where !Self.placeholders.contains(value): metadata["author"] = .string(value)
            case "Subject" where !Self.placeholders.contains(value): metadata["subject"] = .string(value)
            case "Keywords": keywords = KeywordList.keywords(in: value)
            case "CreationDate": createdAt = Date(written: value)
            case "ModDate": updatedAt = Date(written: value)
            case "Pages": pages = Int(value)
            default: break
            }
        }
    }

    /// Returns whether a title describes the document. Many programs set the name of the file, or a fixed
    /// text, as the title.
    static func isMeaningful(title: String) -> Bool {
        let lowercased = title.lowercased()
        let endings = [
            ".doc", ".docx", ".odt", ".indd", ".dvi", ".tex", ".pdf", ".rtf", ".ppt", ".pptx", ".xls",
            ".xlsx",
            ".txt", ".html", ".pages",
        ]
        let texts: Set = [
            "untitled", "document", "title", "anonymous", "unknown", "slide", "presentation", "book",
            "untitled document", "untitled presentation", "untitled spreadsheet", "word document",
            "powerpoint presentation",
        ]
        // "Document1", "Presentation2", "Book1"
        let base = lowercased.replacing(#/[ _-]?\d{1,2}$/#, with: "")
        return title.contains { $0.isLetter } && !endings.contains(where: lowercased.hasSuffix)
            && !texts.contains(base) && !lowercased.hasPrefix("microsoft word - ")
            && !lowercased.hasPrefix("microsoft powerpoint - ")
    }
}
