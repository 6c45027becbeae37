public import Foundation
import RoostModel

/// The bytes of a document, and what is known about them.
public struct DocumentInput: Sendable {
    /// The bytes of the document.
    public var data: Data
    /// The path or URL of the document. Readers use its last component for messages and as a title if there
    /// is no other; they never open it.
    public var path: String
    /// The media type that a server stated (RFC 9110, section 8.3), without parameters; `nil` if unknown.
    public var mediaType: String?
    /// The character encoding that a server stated, as an IANA name; `nil` if unknown.
    public var encodingName: String?
    /// The limits of the resources that a reader may use.
    public var limits: DocumentLimits

    /// Creates an input.
    public init(
        data: Data, path: String, mediaType: String? = nil, encodingName: String? = nil,
        limits: DocumentLimits = DocumentLimits()
    ) {
        self.data = data
        self.path = path
        self.mediaType = mediaType
        self.encodingName = encodingName
        self.limits = limits
    }

    /// Checks the size of a file that is as large as its text.
    ///
    /// - Parameter maximumSize: The maximum number of bytes, in addition to that of a text.
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if it is larger.
    func requireReadableSize(_ maximumSize: Int = .max) throws(DocumentError) {
        let maximum = min(maximumSize, limits.maximumTextBytes)
        guard data.count > maximum else { return }
        throw .limitExceeded("it has \(data.count) bytes, and the maximum for its type is \(maximum)")
    }

    /// The last component of ``path``.
    public var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// ``fileName`` without its extension; `nil` if it is empty.
    var fileStem: String? {
        let length = fileExtension.isEmpty ? 0 : fileExtension.count + 1
        let stem = fileName.dropLast(length)
        return stem.isEmpty ? nil : String(stem)
    }

    /// The day with which ``fileName`` begins, such as that of a daily note `2025-03-31.md` or of a post
    /// `2025-03-31-title.md`; `nil` if it begins with none. The separators are hyphens or underscores.
    package var dateInFileName: Date? {
        guard
            let match = fileName.prefixMatch(of: #/(\d{4})([-_])(\d\d)([-_])(\d\d)(?![\p{L}\p{N}])/#),
            match.output.2 == match.output.4
        else { return nil }
        return DateReader.instant("\(match.output.1)-\(match.output.3)-\(match.output.5)")
    }

    /// The part of ``fileName`` after the last full stop, in lowercase letters; empty if the name has no
    /// extension.
    public var fileExtension: String {
        let name = fileName
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}
