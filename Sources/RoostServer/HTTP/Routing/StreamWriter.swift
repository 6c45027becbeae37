import Foundation
import Hummingbird
import NIOCore
import RoostModel

/// Writes the parts of a streamed answer.
struct StreamWriter: Sendable {
    private let send: @Sendable (ByteBuffer) async throws -> Void

    init(_ send: @escaping @Sendable (ByteBuffer) async throws -> Void) { self.send = send }

    /// Writes bytes.
    func write(_ bytes: some Sequence<UInt8>) async throws {
        try await send(ByteBuffer(bytes: bytes))
    }

    /// Writes a JSON value and a line feed.
    func line(_ value: JSONValue) async throws {
        try await write(value.serialized() + [0x0A])
    }

    /// Writes a server-sent event.
    func event(_ name: String?, id: String? = nil, _ data: JSONValue) async throws {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let name { text += "event: \(name)\n" }
        try await write(Data("\(text)data: ".utf8) + data.serialized() + [0x0A, 0x0A])
    }

    /// Writes a comment, which keeps the connection open.
    func comment() async throws { try await write(Array(": \n\n".utf8)) }
}
