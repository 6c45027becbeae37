import Foundation
import RoostFiles

/// Reads PDF documents with `pdftotext` and `pdfinfo` of Poppler.
///
/// Both are separate programs, because Poppler's license (GPL) does not permit linking it with this library.
/// They run with limits of time, memory and output.
public struct PDFReader: DocumentReader {
    /// The type of PDF documents.
    public static let type = DocumentType(
        name: "pdf", title: "PDF", extensions: ["pdf"], mediaTypes: ["application/pdf", "application/x-pdf"])

    public let version = 4

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

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                try PDFExtraction(input: input, type: type, isCancelled: isCancelled).documents()
            }
        }
    }
}
