public import Foundation
import RoostModel

/// The bytes of a document, and what is known about them.
public struct DocumentInput: Sendable, Codable {
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
    func requireReadableSize() throws(DocumentError) {
        let maximum = limits.maximumTextBytes
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
        return Date(written: "\(match.output.1)-\(match.output.3)-\(match.output.5)")
    }

    /// The part of ``fileName`` after the last full stop, in lowercase letters; empty if the name has no
    /// extension.
    public var fileExtension: String {
        let name = fileName
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

/// The limits of the resources that a reader may use for one file.
public struct DocumentLimits: Sendable, Hashable, Codable {
    /// The maximum number of bytes of extracted text, of any part of an archive after decompression, and of a
    /// file of data or markup, such as JSON, XML or HTML.
    public var maximumTextBytes = 64 << 20
    /// The maximum number of bytes that all parts of an archive may have after decompression.
    public var maximumArchiveBytes = 256 << 20
    /// The maximum number of parts of an archive, messages of a mailbox, or elements of a document.
    public var maximumParts = 100_000
    /// The maximum number of levels of nested elements, archives or messages.
    public var maximumDepth = 200
    /// The maximum elapsed time for the separate programs that read one document.
    public var maximumTime = Duration.seconds(60)
    /// The maximum processor time for a small document in a ``ReaderWorker``, which adds 4 seconds for each megabyte.
    public var maximumProcessorTime = Duration.seconds(10)
    /// The maximum memory in bytes that a separate program, or a ``ReaderWorker``, may use to read a document.
    public var maximumProgramMemory = 2 << 30

    /// Creates the default limits.
    public init() {}
}

/// The reason why a document cannot be read.
///
/// Each case has a message for the user, which completes "cannot read PATH: …".
public enum DocumentError: LocalizedError, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The document is damaged, or is not of the type that its name states.
    case damaged(String)
    /// The document cannot be read without a password.
    case encrypted
    /// The document contains no text, for example because its pages are scanned images.
    case noText(String)
    /// The document exceeds one of the limits (``DocumentLimits``).
    case limitExceeded(String)
    /// A separate program that reads the document exceeds its time or memory. It can succeed later, for
    /// example on a computer with less load.
    case programLimitExceeded(String)
    /// The type or one of its variants is not supported.
    case unsupported(String)
    /// A separate program or a library that is required is not installed, or the program failed.
    case missingProgram(String)

    /// Whether the same document may be readable later: the cause is a program, not the document.
    package var isTransient: Bool {
        switch self {
        case .missingProgram, .programLimitExceeded: true
        case .damaged, .encrypted, .noText, .limitExceeded, .unsupported: false
        }
    }

    public var description: String {
        switch self {
        case .damaged(let reason), .noText(let reason), .limitExceeded(let reason),
            .programLimitExceeded(let reason), .unsupported(let reason), .missingProgram(let reason):
            reason
        case .encrypted: "it is encrypted; remove its password and ingest it again"
        }
    }

    public var errorDescription: String? { description }
}
