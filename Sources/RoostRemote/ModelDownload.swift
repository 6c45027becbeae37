import Foundation
import HTTPTypes
import RoostFiles
import RoostModel

/// A file that is being downloaded. `Sendable` is unchecked because only the thread of the HTTP client uses
/// it until the call has ended.
final class ModelDownload: @unchecked Sendable {
    private let name: String
    private let length: Int
    private let file: FileDescriptor
    private let server: String
    private let existing: Int
    /// The size of the file in bytes.
    private(set) var size: Int

    /// Prepares a download.
    init(_ name: String, _ length: Int, _ file: FileDescriptor, existing: Int, from server: String) {
        (self.name, self.length, self.file, self.server) = (name, length, file, server)
        (self.existing, size) = (existing, existing)
    }

    /// Receives the head of the answer, and prepares the file.
    ///
    /// - Throws: `EmbedderError`, for an unsuccessful status the one that `refusal` returns; `FileError`.
    func begin(_ answer: HTTPAnswer, refusal: (Int) -> EmbedderError) throws {
        switch answer.status {
        case 206:
            // If the server returns a different range from the one requested, the download starts again.
            guard answer.headers[.contentRange]?.hasPrefix("bytes \(existing)-") == true else {
                try file.truncate(to: 0)
                throw EmbedderError(
                    .badAnswer, "\(server) returned a different range of \(name) from the one requested",
                    isRetryable: true)
            }
        case 200: size = 0
        case 416:
            try file.truncate(to: 0)
            throw EmbedderError(
                .badAnswer, "\(server) rejected the requested range of \(name)", isRetryable: true)
        default: throw refusal(answer.status)
        }
        try file.truncate(to: size)
        lseek(file.raw, off_t(size), SEEK_SET)
    }

    /// Appends a part of the body.
    ///
    /// - Returns: The size of the file.
    /// - Throws: `EmbedderError` if the server sends more than it stated; `FileError`.
    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        guard size + bytes.count <= length else {
            try file.truncate(to: 0)
            throw EmbedderError(.badAnswer, "\(server) sent more than the stated size of \(name)")
        }
        try file.write(bytes)
        size += bytes.count
        return size
    }
}
