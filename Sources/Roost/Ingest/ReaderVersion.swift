public import RoostModel

/// The reader of a source and its version, as the fingerprint of the source records them.
///
/// A file that was read by another version has another fingerprint, so the next ingest reads it again.
struct ReaderVersion: Sendable, Hashable {
    /// The name of the document type as which the source was read.
    var type: String
    var version: Int

    private static let key = ";reader="

    /// Creates the version of a reader.
    init(type: String, version: Int) {
        (self.type, self.version) = (type, version)
    }

    /// Creates the version that a fingerprint records; `nil` if it records none.
    init?(fingerprint: String) {
        for part in fingerprint.split(separator: ";") where ";\(part)".hasPrefix(Self.key) {
            let value = part.dropFirst(Self.key.count - 1)
            guard let dot = value.lastIndex(of: "."), let version = Int(value[value.index(after: dot)...])
            else {
                continue
            }
            self.init(type: String(value[..<dot]), version: version)
            return
        }
        return nil
    }

    /// The part of a fingerprint that records the version.
    var suffix: String { "\(Self.key)\(type).\(version)" }
}

extension SourceDraft {
    /// The reader of the source and its version; `nil` if the source is not a document.
    var readerVersion: ReaderVersion? { ReaderVersion(fingerprint: fingerprint) }
}

extension Source {
    /// The reader of the source and its version; `nil` if the source is not a document, or was read by a
    /// version without readers.
    var readerVersion: ReaderVersion? { ReaderVersion(fingerprint: fingerprint) }

    /// The name of the document type as which the source was last read, such as `markdown`; `nil` if the
    /// source is not a document.
    public var documentType: String? { readerVersion?.type }
}
