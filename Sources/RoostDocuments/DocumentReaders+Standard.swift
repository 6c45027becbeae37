import CCommonMark
import CZip
import Foundation

extension DocumentReaders {
    /// The readers of all types that Roost supports. Readers that recognize a signature come first, and plain
    /// text last.
    public static let standard = DocumentReaders([
        PDFReader(), OfficeReader(), MailReader(), HTMLReader(), MarkdownReader(), NotebookReader(),
        CaptionReader(), CodeReader(), PlainTextReader(),
    ])

    /// The types of all readers, in order.
    public var types: [DocumentType] { readers.flatMap(\.types) }

    /// Returns the type of files with a name; `nil` if no reader supports it by its name.
    public func type(ofFile path: String) -> DocumentType? {
        let input = DocumentInput(data: Data(), path: path)
        let (name, fileExtension) = (input.fileName, input.fileExtension)
        return types.first { $0.fileNames.contains(name) }
            ?? types.first { !fileExtension.isEmpty && $0.extensions.contains(fileExtension) }
    }
}

/// The versions of the system libraries that read documents.
package enum DocumentLibraries {
    /// The names and versions of the loaded libraries.
    package static var versions: [(name: String, version: String)] {
        [
            ("cmark-gfm", String(cString: cmark_version_string())),
            ("libzip", String(cString: zip_libzip_version())),
        ]
    }
}
