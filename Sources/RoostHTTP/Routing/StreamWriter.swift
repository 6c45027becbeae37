import Foundation
import Hummingbird
import NIOCore
import RoostMCP
import RoostModel

/// Writes the parts of a streamed answer. If the client does not take a part in time, the connection is
/// closed.
struct StreamWriter: Sendable {
    /// The error of a function that has written a complete answer, but not read the whole body of the
    /// request. The connection is closed after the answer.
    struct Completed: Error {}

    private let send: @Sendable (ByteBuffer) async throws -> Void

    /// Creates a writer that passes parts to a function.
    init(_ send: @escaping @Sendable (ByteBuffer) async throws -> Void) { self.send = send }

    /// Writes bytes.
    func write(_ bytes: some Sequence<UInt8>) async throws {
        try await send(ByteBuffer(bytes: bytes))
    }

    /// Writes a JSON value and a line feed.
    func line(_ value: JSONValue) async throws {
        try await write(JSONWriter.bytes(of: value) + [0x0A])
    }

    /// Writes a server-sent event.
    ///
    /// - Parameters:
    ///   - name: The type of the event.
    ///   - id: The id with which a client continues after an interruption.
    func event(_ name: String?, id: String? = nil, _ data: JSONValue) async throws {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let name { text += "event: \(name)\n" }
        try await write(Array(text.utf8) + Array("data: ".utf8) + JSONWriter.bytes(of: data) + [0x0A, 0x0A])
    }

    /// Writes a comment, which keeps the connection open.
    func comment() async throws { try await write(Array(": \n\n".utf8)) }
}
