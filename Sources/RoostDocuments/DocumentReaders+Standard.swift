import CCommonMark
import CZip

extension DocumentReaders {
    /// The readers of all types that Roost supports. Readers that recognize a signature come first, and plain
    /// text last.
    public static var standard: DocumentReaders { DocumentReaders(all, worker: .standard) }

    private static let all: [any DocumentReader] = [
        PDFReader(), OfficeReader(), MailReader(), HTMLReader(), MarkdownReader(), NotebookReader(),
        CaptionReader(), CodeReader(), PlainTextReader(),
    ]

    /// The readers that a ``ReaderWorker`` runs: all but those that start programs. Feeds are read only from the web.
    static let isolated = DocumentReaders(all.filter { !($0 is PDFReader) } + [FeedReader()])

    /// The types of all readers, in order.
    public var types: [DocumentType] { readers.flatMap(\.types) }
}

package enum DocumentLibraries {
    package static var versions: [(name: String, version: String)] {
        [
            ("cmark-gfm", String(cString: cmark_version_string())),
            ("libzip", String(cString: zip_libzip_version())),
        ]
    }
}
