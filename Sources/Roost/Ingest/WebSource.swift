import Foundation
public import RoostDocuments
public import RoostModel

/// The ids of sources from web servers.
public enum WebSource {
    /// Returns the id of the source with a URL: the URL without its fragment, and with the scheme and the
    /// host in lowercase, because their case has no meaning (RFC 3986, section 6.2.2.1).
    public static func id(_ address: String) -> String {
        let address = address.prefix { $0 != "#" }
        guard let start = address.firstRange(of: "://")?.upperBound else { return String(address) }
        let path = address[start...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex
        return address[..<path].lowercased() + address[path...]
    }

    /// Returns whether a text is the URL of a page.
    package static func isAddress(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }
}

extension RecordReader {
    /// Reads a page, feed or file from a web server.
    ///
    /// - Parameters:
    ///   - input: The document. Its path is the URL after redirects, to which relative links refer.
    ///   - id: The id of the source (``WebSource/id(_:)``).
    ///   - isFeed: Whether to read it as a feed, each item of which becomes an entry. Items that the feed no
    ///     longer contains stay in the store.
    /// - Throws: ``RoostError`` with `.badInput` if it cannot be read; `CancellationError`.
    @concurrent
    public func read(
        _ input: DocumentInput, of id: Source.ID, asFeed isFeed: Bool = false
    ) async throws -> SourceDraft {
        let feed = DocumentReaders([FeedReader()]).match(DocumentInput(data: Data(), path: "feed.rss"))
        guard let match = isFeed ? feed : webMatch(input) else {
            throw RoostError(
                .badInput,
                "cannot read \(id): its type \(input.mediaType ?? "(unknown)") is not supported")
        }
        var contents: DocumentContents
        do {
            contents = try await readers.read(input, with: match)
        } catch let error as DocumentError {
            throw RoostError(.badInput, "cannot read \(id): \(error)")
        }
        for index in contents.documents.indices
        where contents.documents[index].metadata["url"]?.string == nil {
            contents.documents[index].metadata["url"] = .string(input.path)
        }
        var draft = SourceDraft(
            id: id,
            fingerprint: SourceDraft.fingerprint(of: input.data) + match.reader.suffix(as: match.type),
            entries: [], original: keepsOriginals ? input.data : nil)
        try DocumentDrafts(name: id).read(contents, into: &draft)
        draft.keepsMissingEntries = isFeed || !contents.isComplete
        return draft
    }

    /// Returns the reader of a document; `nil` for binary data that no reader supports. A text of an unknown
    /// type is read as plain text.
    private func webMatch(_ input: DocumentInput) -> DocumentReaders.Match? {
        if let match = readers.match(input) { return match }
        guard input.mediaType?.hasPrefix("text/") ?? true,
            !input.data.prefix(FileContents.binaryTestLength).contains(0)
        else { return nil }
        return DocumentReaders.Match(reader: PlainTextReader(), type: PlainTextReader.type)
    }
}
