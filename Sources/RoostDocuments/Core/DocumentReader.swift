/// Reads documents of one or several types.
///
/// A reader gets the bytes of a file and returns the text that is stored, embedded and searched, together
/// with the title, dates, tags, links and other metadata. Conform to this protocol to support further
/// types, and pass the reader to ``DocumentReaders/init(_:)``.
///
/// A reader must accept any bytes: for damaged, encrypted or hostile input it throws a ``DocumentError``, and
/// its memory and time are bounded by ``DocumentInput/limits``. It opens no file other than temporary files,
/// connects to no server, and executes nothing that the document contains.
public protocol DocumentReader: Sendable {
    /// The types that the reader supports. The first type is the default for documents that the reader
    /// recognizes by their contents.
    var types: [DocumentType] { get }

    /// The version of the reader's output, by default 1. If it is higher than the version with which a file
    /// was read, the next ingest reads the file again.
    var version: Int { get }

    /// Returns the type of a document if its contents show that the reader supports it; otherwise `nil`.
    ///
    /// The registry calls this method before it considers the file's name. Readers of formats without a
    /// signature, such as plain text, use the default implementation, which returns `nil`.
    /// - Complexity: O(1): reads only the beginning of the input, or a table at its end.
    func recognizedType(of input: DocumentInput) -> DocumentType?

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - input: The bytes and the name of the document.
    ///   - type: The type as which to read the document, one of ``types``.
    /// - Returns: The documents in the file, in order: one for most types, one for each message of a mailbox.
    ///   Parts that cannot be read are listed in ``Document/unreadParts``.
    /// - Throws: ``DocumentError`` if nothing can be read; `CancellationError`.
    func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document]
}

extension DocumentReader {
    public var version: Int { 1 }

    public func recognizedType(of input: DocumentInput) -> DocumentType? { nil }
}
