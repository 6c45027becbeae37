import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import RoostModel

struct Reply: Sendable {
    enum Body: Sendable {
        case none
        case bytes(Data, type: String)
        /// A stream, which is written by the function. If `watching` is a request, the function is canceled
        /// when the client closes the connection of this request.
        case stream(
            type: String, watching: Request?, @Sendable (StreamWriter) async throws -> Void)
    }

    typealias Status = HTTPResponse.Status

    var status: Status
    var headers = HTTPFields()
    var body = Body.none

    static func empty(_ status: Status = .noContent) -> Reply { Reply(status: status) }

    static func json(_ value: JSONValue, _ status: Status = .ok) -> Reply {
        Reply(status: status, body: .bytes(value.serialized(), type: "application/json"))
    }

    static func text(_ text: String, type: String) -> Reply {
        Reply(status: .ok, body: .bytes(Data(text.utf8), type: type))
    }

    static func stream(
        type: String, watching request: Request? = nil,
        _ write: @escaping @Sendable (StreamWriter) async throws -> Void
    ) -> Reply {
        let reply = Reply(status: .ok, body: .stream(type: type, watching: request, write))
        return reply.with("X-Accel-Buffering", "no")
    }

    func with(_ name: String, _ value: String) -> Reply {
        var reply = self
        if let name = HTTPField.Name(name) { reply.headers[name] = value }
        return reply
    }

    // MARK: Responses of Hummingbird

    func response(on channel: any Channel) -> Response {
        var headers = headers
        switch body {
        case .none:
            if status != .noContent, headers[.contentLength] == nil { headers[.contentLength] = "0" }
            return Response(status: status, headers: headers, body: ResponseBody())
        case .bytes(let bytes, let type):
            headers[.contentType] = type
            return Response(
                status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let type, let request, let write):
            headers[.contentType] = type
            return Response(
                status: status, headers: headers, body: Self.stream(write, watching: request, on: channel))
        }
    }

    private static func stream(
        _ write: @escaping @Sendable (StreamWriter) async throws -> Void, watching request: Request?,
        on channel: any Channel
    ) -> ResponseBody {
        ResponseBody { writer in
            let output = StreamOutput(writer)
            let stream = StreamWriter { part in
                try await output.write(part)
                // A write returns before the event loop knows whether the socket takes more. Without this
                // wait, the event loop would collect all parts of a long answer in memory.
                try await channel.eventLoop.submit {}.get()
            }
            do {
                if let request {
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await write(stream)
                    }
                } else {
                    try await write(stream)
                }
                try await output.finish()
            } catch {
                // The head has been sent, so an error can only be reported by an incomplete body.
                channel.close(promise: nil)
            }
        }
    }
}

/// The writer of an answer that is written in parts.
///
/// It is unchecked because Hummingbird's writers do not state that they are sendable. Only the task that
/// writes the answer uses it, one call at a time.
private final class StreamOutput: @unchecked Sendable {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    func write(_ buffer: ByteBuffer) async throws { try await writer.write(buffer) }

    func finish() async throws { try await writer.finish(nil) }
}

struct StreamWriter: Sendable {
    private let send: @Sendable (ByteBuffer) async throws -> Void

    init(_ send: @escaping @Sendable (ByteBuffer) async throws -> Void) { self.send = send }

    func write(_ bytes: some Sequence<UInt8>) async throws {
        try await send(ByteBuffer(bytes: bytes))
    }

    func line(_ value: JSONValue) async throws {
        try await write(value.serialized() + [0x0A])
    }

    func event(_ name: String?, id: String? = nil, _ data: JSONValue) async throws {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let name { text += "event: \(name)\n" }
        try await write(Data("\(text)data: ".utf8) + data.serialized() + [0x0A, 0x0A])
    }

    /// Writes a comment, which keeps the connection open.
    func comment() async throws { try await write(Array(": \n\n".utf8)) }
}
