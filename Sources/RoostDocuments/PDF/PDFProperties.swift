import Foundation
import RoostModel

/// The properties of a PDF document as `pdfinfo` prints them.
struct PDFProperties {
    /// Values that programs set if the author states none.
    private static let placeholders: Set = ["unspecified", "(unspecified)", "anonymous", "(anonymous)"]

    private(set) var title: String?
    private(set) var keywords: [String] = []
    private(set) var metadata: [String: MetadataValue] = [:]
    private(set) var createdAt: Date?
    private(set) var updatedAt: Date?
    /// The number of pages.
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
            case "CreationDate": createdAt = DocumentDate.date(value)
            case "ModDate": updatedAt = DocumentDate.date(value)
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
            ".doc", ".docx", ".odt", ".indd", ".dvi", ".tex", ".qxd", ".pdf", ".rtf", ".ppt", ".pptx", ".xls",
            ".xlsx", ".txt", ".html", ".pages", ".eps", ".ps",
        ]
        let texts: Set = [
            "untitled", "unbenannt", "document", "title", "(anonymous)", "anonymous", "slide 1", "unknown",
            "untitled document", "untitled presentation", "untitled spreadsheet", "unspecified",
            "word document", "new document", "presentation", "powerpoint presentation",
            "powerpoint-präsentation", "présentation powerpoint", "presentación de powerpoint",
        ]
        // "Document1", "Presentation2", "Book1"
        let base = lowercased.replacing(#/[ _-]?\d{1,2}$/#, with: "")
        if base != lowercased,
            ["document", "dokument", "presentation", "präsentation", "book", "mappe", "untitled"]
                .contains(base)
        {
            return false
        }
        return title.contains { $0.isLetter } && !endings.contains(where: lowercased.hasSuffix)
            && !texts.contains(lowercased) && !lowercased.hasPrefix("microsoft word - ")
            && !lowercased.hasPrefix("microsoft powerpoint - ")
    }
}
