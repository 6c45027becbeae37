import Foundation
import RoostFiles

/// Reads documents in the ZIP-based formats of office programs: Office Open XML (DOCX, PPTX, XLSX),
/// OpenDocument (ODT, ODP, ODS) and EPUB.
public struct OfficeReader: DocumentReader {
    private static let openXML = "application/vnd.openxmlformats-officedocument."
    private static let openDocument = "application/vnd.oasis.opendocument."

    static let word = DocumentType(
        name: "docx", title: "Word", extensions: ["docx", "docm", "dotx"],
        mediaTypes: [openXML + "wordprocessingml.document"])
    static let presentation = DocumentType(
        name: "pptx", title: "PowerPoint", extensions: ["pptx", "pptm", "ppsx"],
        mediaTypes: [openXML + "presentationml.presentation"])
    static let workbook = DocumentType(
        name: "xlsx", title: "Excel", extensions: ["xlsx", "xlsm"],
        mediaTypes: [openXML + "spreadsheetml.sheet"])
    static let openText = DocumentType(
        name: "odt", title: "OpenDocument text", extensions: ["odt", "ott"],
        mediaTypes: [openDocument + "text"])
    static let openPresentation = DocumentType(
        name: "odp", title: "OpenDocument presentation", extensions: ["odp"],
        mediaTypes: [openDocument + "presentation"])
    static let openSpreadsheet = DocumentType(
        name: "ods", title: "OpenDocument spreadsheet", extensions: ["ods"],
        mediaTypes: [openDocument + "spreadsheet"])
    static let book = DocumentType(
        name: "epub", title: "EPUB", extensions: ["epub"], mediaTypes: ["application/epub+zip"])

    /// The size of a text that a document of any size may have.
    private static let minimumTextBytes = 1 << 20

    public let version = 10

    public let types = [
        Self.word, Self.presentation, Self.workbook, Self.openText, Self.openPresentation,
        Self.openSpreadsheet, Self.book,
    ]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        guard input.data.starts(with: [0x50, 0x4B, 0x03, 0x04]) else { return nil }
        // OpenDocument and EPUB begin with a part that states the media type.
        let start = input.data.dropFirst(30).prefix(120)
        if start.starts(with: "mimetype".utf8) {
            let text = String(decoding: start.dropFirst(8), as: UTF8.self)
            let matches = types.filter { type in type.mediaTypes.contains { text.hasPrefix($0) } }
            // The media type of a spreadsheet template begins with that of a spreadsheet.
            if let match = matches.first { return match }
        }
        // The beginning of an archive cannot be opened. Reading a damaged archive reports the fault.
        guard let archive = try? ZipArchive(input.data, limits: input.limits, isCancelled: { false }) else {
            return nil
        }
        if archive.contains("[Content_Types].xml") {
            if archive.names.contains(where: { $0.hasPrefix("word/") }) { return Self.word }
            if archive.names.contains(where: { $0.hasPrefix("ppt/") }) { return Self.presentation }
            if archive.contains("xl/workbook.xml") { return Self.workbook }
        }
        return archive.contains("META-INF/container.xml") ? Self.book : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try Self.check(input)
        return try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                let archive = try ZipArchive(input.data, limits: input.limits, isCancelled: isCancelled)
                // The cells of a small workbook can repeat one long text. Other texts are shorter than their XML.
                var limits = input.limits
                limits.maximumTextBytes = min(
                    limits.maximumTextBytes, max(Self.minimumTextBytes, 4 * archive.size))
                var document = try Self.document(in: archive, type: type, limits: limits)
                guard document.text.contains(where: { !$0.isWhitespace }) else {
                    throw DocumentError.noText("it contains no text")
                }
                // Other programs may write characters that a store cannot use as a title.
                document.title = document.title.map(MarkdownText.singleLine).flatMap { $0.isEmpty ? nil : $0 }
                if document.title == nil {
                    // The headings of a workbook are the names of its sheets.
                    let isWorkbook = type == Self.workbook || type == Self.openSpreadsheet
                    document.title = isWorkbook ? input.fileStem : Self.firstHeading(of: document.text)
                }
                // A text of several entries may have lost some of them.
                return DocumentContents([document], isComplete: document.unreadParts.isEmpty)
            }
        }
    }

    private static func document(
        in archive: ZipArchive, type: DocumentType, limits: DocumentLimits
    ) throws -> Document {
        switch type.name {
        case word.name: try WordDocument(archive, limits: limits).document()
        case presentation.name: try PresentationDocument(archive, limits: limits).document()
        case workbook.name: try WorkbookDocument(archive, limits: limits).document()
        case book.name: try BookDocument(archive, limits: limits).document()
        default: try OpenDocument(archive, limits: limits).document()
        }
    }

    /// Returns the text of the first heading of a Markdown text that a reader wrote, which contains code only
    /// after headings.
    private static func firstHeading(of text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("#") }
        return line.map { MarkdownText.singleLine(String($0.drop { $0 == "#" })) }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// Throws an error that explains the fault if the input is not a ZIP archive.
    private static func check(_ input: DocumentInput) throws {
        if input.data.isEmpty { throw DocumentError.damaged("the file is empty") }
        // The signature of a compound file: an older Office format, or an encrypted document.
        guard input.data.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) else {
            guard input.data.starts(with: "PK".utf8) else {
                throw DocumentError.damaged("it does not begin with the signature of a ZIP archive")
            }
            return
        }
        let name = "EncryptedPackage".data(using: .utf16LittleEndian) ?? Data()
        if input.data.range(of: name) != nil { throw DocumentError.encrypted }
        throw DocumentError.unsupported(
            "it is in an older binary format of Microsoft Office; save it in a current format, "
                + "for example with LibreOffice")
    }
}
